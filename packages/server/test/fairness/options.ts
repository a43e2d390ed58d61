import { parseArgs } from 'node:util'

export interface FairnessOptions {
  /** The duration of each attack. */
  seconds: number
  /** The number of devices of each attacking user. */
  devices: number
  /** Data folder to create or reuse. Undefined: a temporary folder. */
  data: string | undefined
  /** Names of the rows to run. Empty: all rows. */
  rows: string[]
}

export function readOptions(): FairnessOptions {
  const { values } = parseArgs({
    options: {
      seconds: { type: 'string', default: '20' },
      devices: { type: 'string', default: '100000' },
      data: { type: 'string' },
      rows: { type: 'string', default: '' },
    },
  })
  return {
    seconds: positive('seconds', values.seconds),
    devices: positive('devices', values.devices),
    data: values.data,
    rows: values.rows.split(',').filter((row) => row !== ''),
  }
}

function positive(name: string, value: string): number {
  const number = Number(value)
  if (!(number > 0)) throw new Error(`--${name} must be a number above 0, found ${JSON.stringify(value)}`)
  return number
}
