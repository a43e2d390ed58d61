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

export const stateColor = (state: string | null): Color | undefined => (state === null ? undefined : colors[state])
