import type { Muster } from '@muster/client'
import type { Command } from 'commander'
import { type ClientOptions, newClientCommand } from '../options/new-command.ts'
import { printJson, printOne } from '../output/print-one.ts'
import { openMuster } from '../server/open-muster.ts'
import { jobColumns, readJob } from './bulk-jobs.ts'

/** Creates a command that changes one job and then prints it. `change` returns the ID of the job to print. */
export const newJobCommand = (
  name: string,
  description: string,
  change: (muster: Muster, id: string) => Promise<{ id: string }>,
): Command =>
  newClientCommand(name)
    .description(description)
    .argument('<job>', 'ID of the job')
    .action(async (given: string, options: ClientOptions) => {
      const muster = await openMuster(options, 4)
      const { id } = await change(muster, given)
      const job = await readJob(muster, id)
      await (options.json ? printJson(job) : printOne(job, jobColumns))
    })
