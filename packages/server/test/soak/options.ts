import { parseArgs } from 'node:util'

export interface SoakOptions {
  /** The length of the measurement, excluding the warm-up. */
  minutes: number
  /** The length of the warm-up. The default is half of `minutes`, but no more than 15. */
  warmUpMinutes: number
  rate: number
  devices: number
  /** The number of seconds between a device's reports. */
  every: number
}

/** In every run so far, memory became stable within this time. */
const MAX_WARM_UP_MINUTES = 15

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
    warmUpMinutes: number('warm-up', values['warm-up'] ?? String(Math.min(MAX_WARM_UP_MINUTES, minutes / 2))),
    rate: number('rate', values.rate),
    devices: number('devices', values.devices),
    every: number('every', values.every),
  }
}

function number(name: string, text: string): number {
  const value = Number(text)
  if (!(value > 0)) throw new Error(`--${name} must be a number above 0, not ${text}`)
  return value
}
