import { parseArgs } from 'node:util'

export interface FairnessOptions {
  /** The duration of each attack. */
  seconds: number
  /** The number of devices for each attacking user. */
  devices: number
  /** The data folder to create or reuse. If undefined, a temporary folder. */
  data: string | undefined
  /** The names of the rows to run. If empty, all rows. */
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
