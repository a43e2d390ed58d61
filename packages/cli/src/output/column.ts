import { usageError } from '../cli-error.ts'

export interface Column<Item> {
  /** Its heading, and what --columns calls it. */
  name: string
  value: (item: Item) => string | number | boolean | null | undefined
  /** A moment: local time in a table. */
  time?: boolean
  /** Never cut: an id is of no use without its end. */
  whole?: boolean
}

/** The columns that were asked for by name, else those of `usual`. `other` makes one of a name that none has. */
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
    throw usageError(
      `there is no column ${JSON.stringify(name)}`,
      `There are ${known.map((one) => one.name).join(', ')}.`,
    )
  })
}

/** What a column holds for an item, as text; null where there is nothing. */
export function textOf<Item>({ value }: Column<Item>, item: Item): string | null {
  const found = value(item)
  return found === null || found === undefined ? null : String(found)
}
