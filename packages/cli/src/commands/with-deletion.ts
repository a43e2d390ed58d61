import type { Muster } from '@muster/client'
import type { Command } from 'commander'
import type { ClientOptions } from '../options/new-command.ts'
import { openMuster } from '../server/open-muster.ts'
import { confirm } from '../terminal/confirm.ts'
import { deleteEach } from './delete-each.ts'

interface Deletion<Options> {
  /** What the command deletes, in the singular, such as `access key`. */
  noun: string
  /** The verb of the question that the command asks and of the line that it prints for each deleted object. */
  verb?: 'Delete' | 'Remove'
  work: (muster: Muster, id: string, options: Options) => Promise<unknown>
}

/** Completes a command whose argument lists the objects to delete. The command asks for confirmation. */
export const withDeletion = <Options extends ClientOptions>(
  command: Command,
  { noun, verb = 'Delete', work }: Deletion<Options>,
): Command =>
  command
    .option('-y, --yes', 'skip the confirmation prompt')
    .action(async (ids: string[], options: Options & { yes?: boolean }) => {
      const muster = await openMuster(options, 4)
      await confirm(`${verb} ${ids.length === 1 ? `the ${noun} ${ids[0]}` : `${ids.length} ${noun}s`}`, options)
      await deleteEach(ids, { options, result: `${verb}d`, work: (id) => work(muster, id, options) })
    })
