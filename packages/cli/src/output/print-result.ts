import { type Color, printed } from '../terminal/color.ts'
import { write } from '../terminal/standard-output.ts'
import type { Column } from './column.ts'
import { cellOf, layOut } from './table-layout.ts'
import { padEnd, visible, widthOf } from './text-width.ts'

export const printJson = (value: unknown): Promise<void> => write(`${JSON.stringify(value)}\n`)

export const say = (text: string): Promise<void> => write(`${text}\n`)

export function printOne<Item>(item: Item, columns: readonly Column<Item>[]): Promise<void> {
  return printPairs(columns.map((column) => [column.name, cellOf(column, item), column.color?.(item)]))
}

export async function printPairs(
  pairs: readonly (readonly [name: string, value: string, color?: Color | undefined])[],
): Promise<void> {
  const width = Math.max(0, ...pairs.map(([name]) => widthOf(visible(name))))
  for (const [name, value, color] of pairs) {
    const shown = color === undefined ? visible(value) : printed[color](visible(value))
    await say(`${printed.bold(padEnd(visible(name), width))}  ${shown}`)
  }
}

export async function printRows<Item>(items: readonly Item[], columns: readonly Column<Item>[]): Promise<void> {
  const table = layOut(columns, items, process.stdout.isTTY ? process.stdout.columns : undefined)
  await say(printed.bold(table.head()))
  for (const item of items) await say(table.row(item))
}
