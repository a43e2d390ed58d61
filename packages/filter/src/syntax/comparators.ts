import type { Span } from '../positions.ts'
import { fault } from '../problems.ts'
import type { Comparator, Token } from './token.ts'

export const isOrder = (comparator: Comparator): boolean =>
  comparator !== '=' && comparator !== '!=' && comparator !== ':'

/** Matches the comparators, and the strings that users often write instead. */
const comparatorForm = /==|<>|=>|=<|!=|<=|>=|[=<>:]/y
const misspelled: Readonly<Record<string, Comparator>> = { '==': '=', '<>': '!=', '=>': '>=', '=<': '<=' }

/** Returns the comparator at `one.from`, or undefined if there is none. A misspelled comparator has a fault. */
export function comparatorToken(text: string, one: Span & { isSpaced: boolean }, isRight: boolean): Token | undefined {
  // To the right of a comparator, a colon is an ordinary character.
  if (isRight && text[one.from] === ':') return undefined
  comparatorForm.lastIndex = one.from
  const found = comparatorForm.exec(text)?.[0]
  if (found === undefined) return undefined
  const span = { from: one.from, to: one.from + found.length }
  const right = misspelled[found]
  if (right === undefined) return { ...one, ...span, kind: 'comparator', comparator: found as Comparator }
  const wrong = fault(span, `Write ${right} instead of ${found}.`, right)
  return { ...one, ...span, kind: 'comparator', comparator: right, fault: wrong }
}
