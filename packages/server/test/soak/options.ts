import { parseArgs } from 'node:util'

export interface SoakOptions {
  /** Of the part that is judged; warming up comes before. */
  minutes: number
  /** Half of that by default, and 15 at most. */
  warmUpMinutes: number
  /** Requests a second. */
  rate: number
  devices: number
  /** Seconds between two reports of a device. */
  every: number
}

/** So long at most memory has been seen to climb to the level at which it stays. */
const MOST_WARM_UP_MINUTES = 15

/** `--minutes N`, and what else may be given. */
export function readOptions(): SoakOptions {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '30' },
      'warm-up': { type: 'string' },
      rate: { type: 'string', default: '600' },
      devices: { type: 'string', default: '10000' },
      every: { type: 'string', default: '120' },
    },
  })
  const minutes = number('minutes', values.minutes)
  return {
    minutes,
    warmUpMinutes: number('warm-up', values['warm-up'] ?? String(Math.min(MOST_WARM_UP_MINUTES, minutes / 2))),
    rate: number('rate', values.rate),
    devices: number('devices', values.devices),
    every: number('every', values.every),
  }
}

function number(name: string, text: string): number {
  const value = Number(text)
  if (!(value > 0)) throw new Error(`--${name} is a number above 0`)
  return value
}
