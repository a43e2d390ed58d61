import { type Column, textOf } from './column.ts'
import { localTime } from './local-time.ts'
import { clip, padEnd, visible, widthOf } from './text-width.ts'

const GAP = '  '
/** Minimum width of a column in a narrowed table. */
const MIN_WIDTH = 8
const MISSING = '-'

export interface Table<Item> {
  head(): string
  row(item: Item): string
}

/** Sizes columns to fit the first rows. If `room` is set, narrows the table to this width. */
export function layOut<Item>(
  columns: readonly Column<Item>[],
  first: readonly Item[],
  room: number | undefined,
): Table<Item> {
  const widths = columns.map((column) =>
    Math.max(widthOf(column.name), ...first.map((item) => widthOf(cellOf(column, item)))),
  )
  if (room !== undefined) narrow(widths, columns, room)
  const line = (cells: string[]): string =>
    cells
      .map((cell, index) => fit(cell, { width: widths[index]!, cut: room !== undefined && !columns[index]!.whole }))
      .join(GAP)
      .trimEnd()
  return {
    head: () => line(columns.map(({ name }) => name)),
    row: (item) => line(columns.map((column) => cellOf(column, item))),
  }
}

const fit = (cell: string, { width, cut }: { width: number; cut: boolean }): string =>
  padEnd(cut ? clip(cell, width) : cell, width)

export function cellOf<Item>(column: Column<Item>, item: Item): string {
  const text = textOf(column, item)
  if (text === null) return MISSING
  return visible(column.time ? localTime(text) : text)
}

/** Narrows the widest columns until the table fits or no column can be narrowed further. */
function narrow<Item>(widths: number[], columns: readonly Column<Item>[], room: number): void {
  const gaps = GAP.length * (widths.length - 1)
  for (let over = widths.reduce((sum, width) => sum + width, gaps) - room; over > 0; over--) {
    let widest = -1
    for (const [index, width] of widths.entries()) {
      if (columns[index]!.whole || width <= Math.max(MIN_WIDTH, widthOf(columns[index]!.name))) continue
      if (widest === -1 || width > widths[widest]!) widest = index
    }
    if (widest === -1) return
    widths[widest]!--
  }
}
