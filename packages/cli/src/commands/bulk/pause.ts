import type { Command } from 'commander'
import { newJobCommand } from '../../bulk/job-control-command.ts'

export const buildCommand = (): Command =>
  newJobCommand('pause', 'Pause a running job after the current batch.', (muster, id) =>
    muster.mutations.pauseBulk({ id }),
  )
