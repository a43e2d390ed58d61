import type { Span } from '../positions.ts'
import { isIndexed } from './indexing.ts'
import { printNameArgument, printSubject } from './print-subject.ts'
import type { Condition, FilterTerm, Literal, SomeService } from './resolved.ts'
import type { Resolving, Scope } from './resolving.ts'

/** Adds a condition to the terms that `checkFilter` reports. `lead` is the name's prefix, such as `services.`. */
export function addTerm(
  resolving: Resolving,
  scope: Scope,
  { from, to }: Span,
  condition: Condition | SomeService,
  lead = '',
): void {
  const leaf = condition.type === 'services' && lead !== '' ? condition.condition! : condition
  const kind = lead === '' ? scope.kind : 'service'
  resolving.terms.push({
    from,
    to,
    name: lead + nameOf(leaf as Condition, kind),
    comparedAs: comparedAs(leaf as Condition),
    isIndexed: isIndexedTerm(resolving, scope, condition),
  })
}

/** Adds the term of a condition such as `services:(…)` before the terms inside it, which begin at `index`. */
export function addServicesTerm(
  resolving: Resolving,
  scope: Scope,
  { span: { from, to }, condition, index, name }: { span: Span; condition: SomeService; index: number; name: string },
): void {
  const term: FilterTerm = { from, to, name, comparedAs: 'none', isIndexed: isIndexedTerm(resolving, scope, condition) }
  resolving.terms.splice(index, 0, term)
}

function isIndexedTerm({ options }: Resolving, scope: Scope, condition: Condition | SomeService): boolean {
  const kind = scope.isInServices ? 'nested' : options.kind
  return !scope.isNegated && isIndexed(condition, { ...options, kind })
}

function nameOf(condition: Condition, kind: Scope['kind']): string {
  switch (condition.type) {
    case 'compare':
    case 'list':
    case 'present':
      return printSubject(condition.subject, kind)
    case 'stale':
      return `stale(${printNameArgument(condition.name)})`
    case 'word':
      return ''
    case 'any':
    case 'view':
      return `${condition.type}()`
  }
}

function comparedAs(condition: Condition): FilterTerm['comparedAs'] {
  switch (condition.type) {
    case 'compare':
      return typeOf(condition.literal)
    case 'list':
      return typeOf(condition.literals[0]!)
    case 'word':
    case 'any':
      return 'string'
    default:
      return 'none'
  }
}

function typeOf({ type }: Literal): FilterTerm['comparedAs'] {
  if (type === 'number' || type === 'duration') return type
  return type === 'time' || type === 'day' || type === 'relative' ? 'time' : 'string'
}
