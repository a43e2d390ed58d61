import type { Muster } from '@muster/client'
import type { Command } from 'commander'
import { type ListOptions, newListCommand } from '../options/new-command.ts'
import { type Column, chooseColumns } from '../output/column.ts'
import { printList } from '../output/print-list.ts'
import { openMuster } from '../server/open-muster.ts'

interface Listing<Item> {
  columns: readonly Column<Item>[]
  /** The names of the columns that the command shows by default. */
  usual: readonly string[]
  read: (muster: Muster) => Promise<readonly Item[]>
  /** The message for an empty list. */
  empty: string
}

/** Returns a command that lists all objects of one kind. */
export const newListAllCommand = <Item>(name: string, { columns: known, usual, read, empty }: Listing<Item>): Command =>
  newListCommand(name, { limit: Number.POSITIVE_INFINITY }).action(async (options: ListOptions) => {
    const columns = chooseColumns(options.columns, { known, usual })
    const items = await read(await openMuster(options, 4))
    await printList({ items, columns, options, empty })
  })
