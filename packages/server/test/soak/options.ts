import { parseArgs } from 'node:util'
import { positiveNumber, wholeNumber } from '../../../../benchmarks/run/options.ts'

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
  const minutes = positiveNumber('--minutes', values.minutes)
  return {
    minutes,
    warmUpMinutes: positiveNumber('--warm-up', values['warm-up'] ?? String(Math.min(MAX_WARM_UP_MINUTES, minutes / 2))),
    rate: positiveNumber('--rate', values.rate),
    devices: wholeNumber('--devices', values.devices, 1),
    every: positiveNumber('--every', values.every),
  }
}
