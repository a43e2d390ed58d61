import { closestName } from '@muster/filter/closest-name'
import { usageError } from '../errors/cli-error.ts'
import type { Color } from '../terminal/color.ts'

export interface Column<Item> {
  /** Heading of the column, and its name in --columns. */
  name: string
  value: (item: Item) => string | number | boolean | null | undefined
  time?: boolean
  /** Whether a table that is wider than the terminal truncates this column before or after the other columns. */
  truncated?: 'first' | 'last'
  /** Color of the item's cell. Output without colors must contain the same information. */
  color?: (item: Item) => Color | undefined
}

/**
 * Returns the columns with the names `asked` or, by default, `usual`. `other` creates the column for an unknown name.
 * Without `other`, an unknown name is a usage error.
 */
export function chooseColumns<Item>(
  asked: readonly string[] | undefined,
  {
    known,
    usual,
    other,
  }: { known: readonly Column<Item>[]; usual: readonly string[]; other?: (name: string) => Column<Item> },
): Column<Item>[] {
  return (asked ?? usual).map((name) => {
    const column = known.find((one) => one.name === name) ?? other?.(name)
    if (column !== undefined) return column
    const names = known.map((one) => one.name)
    const closest = closestName(name, names)
    throw usageError(
      `unknown column ${JSON.stringify(name)}.${closest === undefined ? '' : ` Did you mean ${JSON.stringify(closest)}?`}`,
      `Known columns: ${names.join(', ')}.`,
    )
  })
}

export function textOf<Item>({ value }: Column<Item>, item: Item): string | null {
  const found = value(item)
  return found === null || found === undefined ? null : String(found)
}
