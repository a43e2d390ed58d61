import { type Cell, formatCsvRow } from '@muster/fleet-csv/csv/cells'
import { neutralizeFormula } from '@muster/fleet-csv/csv/formulas'
import type { ListOptions } from '../options/new-command.ts'
import { printed } from '../terminal/color.ts'
import { write } from '../terminal/process.ts'
import { type Column, textOf } from './column.ts'
import { layOut } from './table.ts'

/** Number of rows that determine the widths of table columns. */
const SAMPLE_ROWS = 200

interface List<Item> {
  items: Iterable<Item> | AsyncIterable<Item>
  columns: readonly Column<Item>[]
  options: Pick<ListOptions, 'json' | 'csv' | 'raw' | 'limit'>
  /** Message for an empty table. CSV and JSON output does not include it. */
  empty: string
}

/** Streams a list as a table, JSON Lines, or CSV. Returns the number of items. */
export async function printList<Item>({ items, columns, options, empty }: List<Item>): Promise<number> {
  const put = (text: string): Promise<void> => write(process.stdout, text)
  const limited = takeUpTo(items, options.limit)
  if (options.json) return each(limited, (item) => put(`${JSON.stringify(item)}\n`))
  if (options.csv) {
    const putRow = (cells: readonly Cell[]): Promise<void> =>
      put(formatCsvRow(options.raw ? cells : cells.map(neutralizeFormula)))
    await putRow(columns.map(({ name }) => name))
    return each(limited, (item) => putRow(columns.map((column) => textOf(column, item))))
  }
  const count = await printTable(limited, columns, put)
  if (count === 0) console.error(empty)
  return count
}

async function printTable<Item>(
  items: AsyncIterable<Item>,
  columns: readonly Column<Item>[],
  put: (text: string) => Promise<void>,
): Promise<number> {
  const room = process.stdout.isTTY ? process.stdout.columns : undefined
  const first: Item[] = []
  let table: ReturnType<typeof layOut<Item>> | undefined
  const begin = async (): Promise<void> => {
    table = layOut(columns, first, room)
    await put(`${printed.bold(table.head())}\n`)
    for (const item of first) await put(`${table.row(item)}\n`)
  }
  const count = await each(items, async (item) => {
    if (table !== undefined) return put(`${table.row(item)}\n`)
    if (first.push(item) === SAMPLE_ROWS) await begin()
  })
  if (table === undefined && count > 0) await begin()
  return count
}

async function each<Item>(items: AsyncIterable<Item>, work: (item: Item) => Promise<void>): Promise<number> {
  let count = 0
  for await (const item of items) {
    await work(item)
    count++
  }
  return count
}

/** Yields up to `limit` items. Reads at most one more item, and prints a note if it exists. */
async function* takeUpTo<Item>(items: Iterable<Item> | AsyncIterable<Item>, limit: number): AsyncGenerator<Item> {
  let taken = 0
  for await (const item of items) {
    if (taken === limit) {
      console.error(`Showing only the first ${limit}. To show all, pass --limit all.`)
      return
    }
    yield item
    taken++
  }
}
