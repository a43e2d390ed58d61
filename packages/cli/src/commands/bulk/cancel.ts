import type { Command } from 'commander'
import { newJobCommand } from '../../bulk/job-command.ts'

export const buildCommand = (): Command =>
  newJobCommand('cancel', 'End a job between two batches. Devices that are done stay changed.', (muster, id) =>
    muster.mutations.cancelBulk({ id }),
  )
