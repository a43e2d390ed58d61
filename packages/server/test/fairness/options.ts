import { parseArgs } from 'node:util'

export interface FairnessOptions {
  seconds: number
  devices: number
  /** The path of the data folder. If undefined, the test uses a temporary folder. */
  data: string | undefined
  /** The names of the rows to run. If the list is empty, all rows run. */
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
