import type { Color } from '../terminal/color.ts'

const colors: Readonly<Record<string, Color>> = {
  active: 'green',
  enabled: 'green',
  delivered: 'green',
  inactive: 'yellow',
  disabled: 'yellow',
  pending: 'yellow',
  failed: 'red',
}

/** Returns the color of a state, or undefined for a value without a color. */
export const stateColor = (state: string | null): Color | undefined => (state === null ? undefined : colors[state])
