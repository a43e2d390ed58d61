import { neutralizeFormula } from '@muster/fleet-csv/csv/formulas'
import { type Cell, formatCsvRow } from '@muster/fleet-csv/csv/rfc-4180'
import type { ListOptions } from '../options/new-command.ts'
import { printed } from '../terminal/color.ts'
import { write } from '../terminal/standard-output.ts'
import { type Column, textOf } from './column.ts'
import { layOut } from './table-layout.ts'

/** How many of a table's first rows determine the widths of its columns. */
const SAMPLE_ROWS = 200

interface List<Item> {
  items: Iterable<Item> | AsyncIterable<Item>
  columns: readonly Column<Item>[]
  options: Pick<ListOptions, 'json' | 'csv' | 'raw'> & { limit?: number }
  /** The message for an empty list. The command prints this message only for tables, not for CSV or JSON. */
  empty: string
}

export async function printList<Item>({ items, columns, options, empty }: List<Item>): Promise<void> {
  const page = { isComplete: true }
  const count = await printItems(takeUpTo(items, options.limit ?? Number.POSITIVE_INFINITY, page), {
    columns,
    options,
    put: write,
  })
  if (count === 0 && !options.json && !options.csv) console.error(empty)
  if (!page.isComplete) console.error('There are more rows. To show all rows, pass --limit all.')
}

async function printItems<Item>(
  items: AsyncIterable<Item>,
  { columns, options, put }: Pick<List<Item>, 'columns' | 'options'> & { put: (text: string) => Promise<void> },
): Promise<number> {
  if (options.json) return each(items, (item) => put(`${JSON.stringify(item)}\n`))
  if (options.csv) {
    const putRow = (cells: readonly Cell[]): Promise<void> =>
      put(formatCsvRow(options.raw ? cells : cells.map(neutralizeFormula)))
    await putRow(columns.map(({ name }) => name))
    return each(items, (item) => putRow(columns.map((column) => textOf(column, item))))
  }
  return printTable(items, columns, put)
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
    await put([printed.bold(table.head()), ...first.map(table.row), ''].join('\n'))
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

/** Yields up to `limit` items. Reads one more item to record whether there are more. */
async function* takeUpTo<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  limit: number,
  page: { isComplete: boolean },
): AsyncGenerator<Item> {
  let taken = 0
  for await (const item of items) {
    if (taken === limit) {
      page.isComplete = false
      return
    }
    yield item
    taken++
  }
}
