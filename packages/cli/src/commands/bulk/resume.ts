import type { Command } from 'commander'
import { newJobCommand } from '../../bulk/job-control-command.ts'
import type { ClientOptions } from '../../options/new-command.ts'
import { wholeNumber } from '../../options/option-values.ts'

interface Options extends ClientOptions {
  rate?: number
}

export const buildCommand = (): Command =>
  newJobCommand<Options>('resume', "Continue a paused job, or change a running job's rate.", (muster, id, { rate }) =>
    muster.mutations.resumeBulk({ id, rate }),
  ).option('--rate <count>', 'new maximum number of devices per second, 1 to 10,000', wholeNumber(1, 10_000))
