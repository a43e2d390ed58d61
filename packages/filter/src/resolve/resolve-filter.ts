import { byPlace, type FilterProblem, toProblem } from '../problems.ts'
import type { ParsedFilter } from '../syntax/parser.ts'
import type { Comparison, Expression, Group } from '../syntax/tree.ts'
import { addTerm } from './filter-terms.ts'
import { forbiddenEmpty } from './forbidden-terms.ts'
import { isIndexed } from './indexing.ts'
import { resolveCallSubject, resolveCondition } from './resolve-call.ts'
import { resolveComparison } from './resolve-comparison.ts'
import { rejectNested, resolveMember } from './resolve-member.ts'
import { resolveWord } from './resolve-word.ts'
import type { FilterTerm, ResolvedFilter } from './resolved.ts'
import type { ResolveOptions, Resolving, Scope } from './resolving.ts'

export interface Resolution {
  /** Null for an empty filter, and for a filter with problems. */
  readonly filter: ResolvedFilter | null
  /** Whether neither the parser nor the resolver found a problem. If false, `filter` is null. */
  readonly isValid: boolean
  /** The problems that the resolver found. Does not include the problems that the parser found. */
  readonly problems: readonly FilterProblem[]
  /** Warnings about parts of the filter that are valid but probably not intended. */
  readonly warnings: readonly FilterProblem[]
  /** The conditions that could be resolved, in order of position. */
  readonly terms: readonly FilterTerm[]
  /** Attribute names that are not in `knownAttributes`. The caller can look them up and resolve the filter again. */
  readonly unknownNames: readonly string[]
  /** Whether an index can find the matches. True for an empty filter, and false for a filter with problems. */
  readonly isIndexed: boolean
}

/** Resolves the parts of a filter that the parser could parse, unless the filter exceeds a limit. Never throws. */
export function resolveFilter(parsed: ParsedFilter, options: ResolveOptions = {}): Resolution {
  const { kind = 'device', usage = 'list' } = options
  const { text } = parsed
  // Do not resolve a filter that exceeds a limit, because resolving it could take too long.
  const tree = parsed.problems.some((problem) => problem.kind === 'limit') ? null : parsed.tree
  const all = { ...options, kind, usage }
  const resolving: Resolving = {
    text,
    options: all,
    problems: [],
    warnings: [],
    terms: [],
    searched: new Map(),
    unknown: new Set(),
  }
  const resolved = tree === null ? null : resolve(resolving, { kind, isInServices: false, isNegated: false }, tree)
  const empty = tree === null && parsed.problems.length === 0 ? forbiddenEmpty(usage) : undefined
  if (empty !== undefined) {
    resolving.problems.push(toProblem(text, 'semantic', { from: 0, to: text.length, message: empty, edits: null }))
  }
  const isValid = parsed.problems.length === 0 && resolving.problems.length === 0
  const filter = (isValid && resolved) || null
  return {
    filter,
    isValid,
    problems: resolving.problems.sort(byPlace),
    warnings: resolving.warnings.sort(byPlace),
    terms: resolving.terms,
    unknownNames: [...resolving.unknown],
    isIndexed: filter === null ? isValid : isIndexed(filter, all),
  }
}

function resolve(resolving: Resolving, scope: Scope, tree: Expression): ResolvedFilter | undefined {
  switch (tree.type) {
    case 'and':
    case 'or':
      return resolveGroup(resolving, scope, tree)
    case 'not': {
      const operand = resolve(resolving, { ...scope, isNegated: true }, tree.operand)
      return operand && { type: 'not', operand }
    }
    case 'word':
    case 'call': {
      const condition =
        tree.type === 'word' ? resolveWord(resolving, scope, tree) : resolveCondition(resolving, scope, tree)
      if (condition !== undefined) addTerm(resolving, scope, tree, condition)
      return condition
    }
    case 'comparison':
      return tree.subject.type === 'call'
        ? resolveCallComparison(resolving, scope, tree)
        : resolveMember(resolving, scope, tree, resolve)
  }
}

/** Resolves the operands. Merges operands that are groups of the same type, such as an AND inside an AND. */
function resolveGroup(resolving: Resolving, scope: Scope, { type, operands }: Group): ResolvedFilter | undefined {
  const resolved = operands.map((operand) => resolve(resolving, scope, operand))
  const flat = resolved.flatMap((operand) => (operand?.type === type ? operand.operands : (operand ?? [])))
  return resolved.includes(undefined) ? undefined : { type, operands: flat }
}

function resolveCallComparison(resolving: Resolving, scope: Scope, tree: Comparison): ResolvedFilter | undefined {
  if (tree.subject.type !== 'call') return undefined
  const subject = resolveCallSubject(resolving, scope, tree.subject)
  if (subject === undefined) return undefined
  if (tree.argument.type === 'nested') return rejectNested(resolving, tree.argument)
  const isNegated = tree.comparator === '!='
  const compared = resolveComparison(resolving, { subject, comparison: tree, argument: tree.argument })
  if (compared === undefined) return undefined
  addTerm(resolving, { ...scope, isNegated: scope.isNegated || isNegated }, tree, compared)
  return isNegated ? { type: 'not', operand: compared } : compared
}
