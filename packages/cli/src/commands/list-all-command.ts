import type { Muster } from '@muster/client'
import type { Command } from 'commander'
import { type ListOptions, newListCommand } from '../options/new-command.ts'
import { type Column, chooseColumns } from '../output/column.ts'
import { printList } from '../output/print-list.ts'
import { openMuster } from '../server/open-muster.ts'

interface Listing<Item, Options> {
  columns: readonly Column<Item>[]
  /** The names of the columns that the command shows by default. */
  usual: readonly string[]
  read: (muster: Muster, options: Options) => Promise<readonly Item[]>
  /** The message for an empty list. */
  empty: string
}

/** Returns a command that lists all objects of one kind. */
export const newListAllCommand = <Item, Options extends ListOptions = ListOptions>(
  name: string,
  { columns: known, usual, read, empty }: Listing<Item, Options>,
): Command =>
  newListCommand(name, { limit: Number.POSITIVE_INFINITY }).action(async (options: Options) => {
    const columns = chooseColumns(options.columns, { known, usual })
    const items = await read(await openMuster(options, 4), options)
    await printList({ items, columns, options, empty })
  })
