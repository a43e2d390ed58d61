import type { Command } from 'commander'
import { newJobCommand } from '../../bulk/job-command.ts'

export const buildCommand = (): Command =>
  newJobCommand('pause', 'Stop a running job between two batches.', (muster, id) => muster.mutations.pauseBulk({ id }))
