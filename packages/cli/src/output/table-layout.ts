import { printed } from '../terminal/color.ts'
import { type Column, textOf } from './column.ts'
import { localTime, shortenTime } from './local-time.ts'
import { clip, padEnd, visible, widthOf } from './text-width.ts'

const GAP = '  '
/**
 * At first, IDs and other values are narrowed at most to this width. If the table is still too wide, they are narrowed
 * further.
 */
const READABLE_WIDTH = 8
/** Width of a time without seconds, in terminal columns. */
const MINUTE_WIDTH = 16
const MIN_WIDTH = 4
const MISSING = '-'

export interface Table<Item> {
  head(): string
  row(item: Item): string
}

/** Sizes columns to fit the first rows. If the table is wider than `room` terminal columns, narrows it if possible. */
export function layOut<Item>(
  columns: readonly Column<Item>[],
  first: readonly Item[],
  room: number | undefined,
): Table<Item> {
  const widths = columns.map((column) =>
    Math.max(widthOf(column.name), ...first.map((item) => widthOf(cellOf(column, item)))),
  )
  if (room !== undefined) narrow(widths, columns, room)
  const isCut = room !== undefined
  return {
    head: () =>
      line(columns.map(({ name }, index) => padEnd(isCut ? clip(name, widths[index]!) : name, widths[index]!))),
    row: (item) => line(columns.map((column, index) => cell(column, item, { width: widths[index]!, isCut }))),
  }
}

const line = (cells: string[]): string => cells.join(GAP).trimEnd()

function cell<Item>(column: Column<Item>, item: Item, { width, isCut }: { width: number; isCut: boolean }): string {
  const whole = cellOf(column, item)
  const text = isCut ? clip(column.time ? shortenTime(whole, width) : whole, width) : whole
  const color = column.color?.(item)
  const padding = padEnd(text, width).slice(text.length)
  return color === undefined ? text + padding : printed[color](text) + padding
}

export function cellOf<Item>(column: Column<Item>, item: Item): string {
  const text = textOf(column, item)
  if (text === null) return MISSING
  return visible(column.time ? localTime(text) : text)
}

/**
 * Narrows the columns until the table fits or no column can be narrowed further. IDs are narrowed first, and names
 * last.
 */
function narrow<Item>(widths: number[], columns: readonly Column<Item>[], room: number): void {
  const readable = columns.map(({ name, time }) => Math.max(time ? MINUTE_WIDTH : READABLE_WIDTH, widthOf(name)))
  const group = (truncated: Column<Item>['truncated']): number[] =>
    [...columns.keys()].filter((index) => columns[index]!.truncated === truncated)
  const [ids, others, names] = [group('first'), group(undefined), group('last')]
  let over = widths.reduce((sum, width) => sum + width, GAP.length * (widths.length - 1)) - room
  const shrink = (group: readonly number[], least: (index: number) => number): void => {
    for (; over > 0; over--) {
      const possible = group.filter((index) => widths[index]! > least(index))
      if (possible.length === 0) return
      widths[possible.reduce((widest, index) => (widths[index]! > widths[widest]! ? index : widest))]!--
    }
  }
  shrink(ids, () => READABLE_WIDTH)
  shrink(others, (index) => readable[index]!)
  shrink(ids, () => MIN_WIDTH)
  shrink(others, () => MIN_WIDTH)
  shrink(names, () => MIN_WIDTH)
}
