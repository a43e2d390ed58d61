import type { Command } from 'commander'
import { withRate } from '../../bulk/change-in-bulk.ts'
import { newJobCommand } from '../../bulk/job-command.ts'
import type { ClientOptions } from '../../options/new-command.ts'

interface Options extends ClientOptions {
  rate?: number
}

export const buildCommand = (): Command =>
  withRate(
    newJobCommand<Options>('resume', "Continue a paused job, or change a running job's rate.", (muster, id, { rate }) =>
      muster.mutations.resumeBulk({ id, ...(rate !== undefined && { rate }) }),
    ),
  )
