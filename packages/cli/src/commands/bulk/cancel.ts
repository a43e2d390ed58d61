import type { Command } from 'commander'
import { newJobCommand } from '../../bulk/job-control-command.ts'

export const buildCommand = (): Command =>
  newJobCommand(
    'cancel',
    'End a job. A running job ends after the current batch. Changes that the job has made remain.',
    (muster, id) => muster.mutations.cancelBulk({ id }),
  )
