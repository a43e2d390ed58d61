import type { FilterLimit } from './limits.ts'
import { positionAt, type Span, toCodePoints } from './positions.ts'

export interface FilterProblem {
  /**
   * The API reports `limit` as LIMIT_EXCEEDED, and `syntax` and `semantic` as BAD_USER_INPUT. A `warning` is not an
   * error.
   */
  readonly kind: 'syntax' | 'semantic' | 'limit' | 'warning'
  /** Explains what is wrong and, if possible, how to fix it. */
  readonly message: string
  readonly line: number
  /** Column, in code points and counted from 1, at which the problem begins. */
  readonly column: number
  /** Length, in code points, of the invalid part. 0 if something is missing at the problem's position. */
  readonly length: number
  /** The whole filter with this problem fixed. Null if no fix is known. Other problems remain. */
  readonly suggestion: string | null
  /** Name of the exceeded limit, if the kind is `limit`. */
  readonly limit?: FilterLimit
}

export interface Edit extends Span {
  readonly text: string
}

/** A problem whose position is still a string index. */
export interface Fault extends Span {
  readonly message: string
  /** The changes that fix the problem, in order of position. Null if no fix is known. */
  readonly edits: readonly Edit[] | null
}

export function toProblem(text: string, kind: FilterProblem['kind'], fault: Fault, limit?: FilterLimit): FilterProblem {
  const { line, column } = positionAt(text, fault.from)
  const faulty = text.slice(fault.from, fault.to)
  return {
    kind,
    message: fault.message,
    line,
    column,
    length: toCodePoints(faulty, faulty.length),
    suggestion: fault.edits === null ? null : applyEdits(text, fault.edits),
    ...(limit === undefined ? {} : { limit }),
  }
}

export function applyEdits(text: string, edits: readonly Edit[]): string {
  let result = ''
  let at = 0
  for (const edit of edits) {
    result += text.slice(at, edit.from) + edit.text
    at = edit.to
  }
  return result + text.slice(at)
}

/** Returns a fault with an edit that replaces the span, or with no edits if the replacement is null. */
export const fault = (span: Span, message: string, replacement: string | null = null): Fault => ({
  from: span.from,
  to: span.to,
  message,
  edits: replacement === null ? null : [{ from: span.from, to: span.to, text: replacement }],
})

export const byPlace = (a: FilterProblem, b: FilterProblem): number => a.line - b.line || a.column - b.column

export function abbreviate(text: string, length = 60): string {
  const characters = Array.from(text.slice(0, length * 2 + 2))
  return characters.length <= length ? text : `${characters.slice(0, length - 1).join('')}…`
}
