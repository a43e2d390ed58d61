import { parseArgs } from 'node:util'
import { positiveNumber, wholeNumber } from '../../../../benchmarks/run/options.ts'

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
    seconds: positiveNumber('--seconds', values.seconds),
    devices: wholeNumber('--devices', values.devices, 1),
    data: values.data,
    rows: values.rows.split(',').filter((row) => row !== ''),
  }
}
