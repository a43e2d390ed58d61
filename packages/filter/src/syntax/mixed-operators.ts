import type { Span } from '../positions.ts'
import { abbreviate, applyEdits, type Edit, type Fault } from '../problems.ts'

/** The operator between an operand and the previous operand. A space is an implicit AND. */
export type Join = 'and' | 'or' | 'space'

/**
 * Returns the error for AND and OR without parentheses. The message shows both readings, because OR binds more tightly
 * in AIP-160, but AND binds more tightly in SQL.
 */
export function mixedOperators(text: string, operands: readonly Span[], joins: readonly Join[]): Fault {
  const span = { from: operands[0]!.from, to: operands.at(-1)!.to }
  const readings = {
    aip: parenthesize(operands, joins, (join) => join === 'or'),
    sql: parenthesize(operands, joins, (join) => join !== 'or'),
  }
  const show = (edits: readonly Edit[]): string => abbreviate(cut(text, span, edits), 200)
  const message = `To combine AND and OR, use parentheses. A space means AND. Write ${show(readings.sql)}, or ${show(readings.aip)}.`
  return { ...span, message, edits: joins.includes('and') ? readings.sql : readings.aip }
}

function parenthesize(operands: readonly Span[], joins: readonly Join[], binds: (join: Join) => boolean): Edit[] {
  const edits: Edit[] = []
  let first = 0
  for (let index = 0; index < operands.length; index++) {
    const join = joins[index]
    if (join !== undefined && binds(join)) continue
    if (index > first) {
      edits.push(insert(operands[first]!.from, '('), insert(operands[index]!.to, ')'))
    }
    first = index + 1
  }
  return edits
}

const insert = (at: number, text: string): Edit => ({ from: at, to: at, text })

/** Applies edits within a span and returns only the edited span. */
function cut(text: string, { from, to }: Span, edits: readonly Edit[]): string {
  const moved = edits.map((edit) => ({ ...edit, from: edit.from - from, to: edit.to - from }))
  return applyEdits(text.slice(from, to), moved)
}
