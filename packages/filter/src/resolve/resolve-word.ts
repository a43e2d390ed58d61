import type { Word } from '../syntax/tree.ts'
import { toText } from './field-literal.ts'
import { isOnlyWildcards } from './resolve-comparison.ts'
import type { WordSearch } from './resolved.ts'
import { type Resolving, rejectWith, replace, type Scope, warn, written } from './resolving.ts'

/** Words and symbols that users may mean as operators, each with the corresponding operator of the filter language. */
const operators: ReadonlyMap<string, string> = new Map([
  ['and', 'AND'],
  ['or', 'OR'],
  ['not', 'NOT'],
  ['&&', 'AND'],
  ['||', 'OR'],
  ['&', 'AND'],
  ['|', 'OR'],
])

export function resolveWord(resolving: Resolving, scope: Scope, { value }: Word): WordSearch | undefined {
  if (value.parts.join('') === '') {
    const needed = isOnlyWildcards(value) ? 'one character besides *' : 'one character'
    const message = `A search needs at least ${needed}. To match everything, write id:*`
    return rejectWith(resolving, value, message, replace(value, 'id:*'))
  }
  const word = written(resolving, value)
  const operator = operators.get(word.toLowerCase())
  if (operator !== undefined) {
    const message = `This condition searches for the word ${word}. For the operator, write ${operator}`
    warn(resolving, value, message, replace(value, operator))
  }
  return { type: 'word', of: scope.kind, literal: toText(value) }
}
