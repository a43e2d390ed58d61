import type { Command } from 'commander'
import { newJobCommand } from '../../bulk/job-command.ts'

export const buildCommand = (): Command =>
  newJobCommand('resume', 'Continue a paused job.', (muster, id) => muster.mutations.resumeBulk({ id }))
