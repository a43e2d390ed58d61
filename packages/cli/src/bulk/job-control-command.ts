import type { Muster } from '@muster/client'
import type { Command } from 'commander'
import { type ClientOptions, newClientCommand } from '../options/new-command.ts'
import { printJson, printOne } from '../output/print-result.ts'
import { openMuster } from '../server/open-muster.ts'
import { jobColumns, readJob } from './bulk-jobs.ts'

export const newJobCommand = <Options extends ClientOptions>(
  name: string,
  description: string,
  change: (muster: Muster, id: string, options: Options) => Promise<{ id: string }>,
): Command =>
  newClientCommand(name)
    .description(description)
    .argument('<job>', 'ID of the job')
    .action(async (given: string, options: Options) => {
      const muster = await openMuster(options, 4)
      const { id } = await change(muster, given, options)
      const job = await readJob(muster, id)
      await (options.json ? printJson(job) : printOne(job, jobColumns))
    })
