/** A range of a filter, as indexes for `slice`: UTF-16 code units, counted from 0, with an exclusive end. */
export interface Span {
  readonly from: number
  readonly to: number
}

/** Lines and columns are counted from 1. Columns are in Unicode code points. */
export interface Position {
  readonly line: number
  readonly column: number
}

/** Converts a string index to a position in code points, counted from 0, as in the API's field `checkFilter`. */
export function toCodePoints(text: string, index: number): number {
  let count = 0
  for (let at = 0; at < Math.min(index, text.length); at += isPairAt(text, at) ? 2 : 1) count++
  return count
}

/** Converts a position in code points to a string index. A position outside the string becomes the nearest end. */
export function toIndex(text: string, codePoints: number): number {
  let at = 0
  for (let count = 0; count < codePoints && at < text.length; count++) at += isPairAt(text, at) ? 2 : 1
  return at
}

/** Returns the line and column of an index. A line ends with a line feed, a carriage return, or both. */
export function positionAt(text: string, index: number): Position {
  const isInsideBreak = text[index - 1] === '\r' && text[index] === '\n'
  const lines = text.slice(0, isInsideBreak ? index - 1 : index).split(/\r\n|\n|\r/)
  const last = lines.at(-1)!
  return { line: lines.length, column: toCodePoints(last, last.length) + 1 }
}

const isPairAt = (text: string, at: number): boolean => text.codePointAt(at)! > 0xffff
