import { ApiError } from '../../errors.ts'
import type { OperationPlan, PlannedField, SelectionPlan } from './selection-plan.ts'

/** The server rejects a document above any limit with QUERY_TOO_COMPLEX. */
export interface DocumentLimits {
  readonly depth: number
  readonly introspectionDepth: number
  readonly aliasesPerField: number
  readonly tokens: number
  readonly objects: number
  /** The `objects` limit for public operations, such as a full introspection with several thousand objects. */
  readonly publicObjects: number
  /** Limits the selections visited while fragments are spread, and therefore the work of checking a document. */
  readonly selections: number
}

const numberFormat = new Intl.NumberFormat('en-GB')

export function tooComplex(what: string, limit: number, found: number): ApiError {
  const shown = Math.min(found, Number.MAX_SAFE_INTEGER)
  const message = `${what}: the limit is ${numberFormat.format(limit)}, found ${numberFormat.format(shown)}`
  return new ApiError('QUERY_TOO_COMPLEX', message, { limit, found: shown })
}

/** The maximum depth of nested lists in an introspection, as in MaxIntrospectionDepthRule of graphql-js. */
const introspectedLists = 2

/**
 * Throws QUERY_TOO_COMPLEX if an operation has too many levels, aliases of a field, or nested introspection lists. Each
 * field is a level, so `{ login { id } }` has two levels.
 */
export function assertDocumentLimits(plan: OperationPlan, limits: DocumentLimits): void {
  const { own, introspection, lists } = measureDepth(plan)
  if (own > limits.depth) throw tooComplex('the operation has too many levels', limits.depth, own)
  if (introspection > limits.introspectionDepth)
    throw tooComplex('the introspection has too many levels', limits.introspectionDepth, introspection)
  if (lists > introspectedLists)
    throw tooComplex('the introspection has too many nested lists', introspectedLists, lists)
  for (const selection of plan.postOrder) assertAliases(selection, limits.aliasesPerField)
}

/** The names of introspection fields and types start with `__` (GraphQL §4). */
export function isIntrospectionField({ definition, parentType }: PlannedField): boolean {
  return definition.name.startsWith('__') || parentType.name.startsWith('__')
}

interface Depth {
  own: number
  introspection: number
  lists: number
}

/** These fields lead from one type to many, so each nesting level multiplies the introspection's size. */
const introspectionLists = new Set(['fields', 'interfaces', 'possibleTypes', 'inputFields'])

function measureDepth(plan: OperationPlan): Depth {
  const depths = new Map<SelectionPlan, Depth>()
  const depthOf = (selection: SelectionPlan | undefined): Depth =>
    (selection && depths.get(selection)) ?? { own: 0, introspection: 0, lists: 0 }
  for (const selection of plan.postOrder) {
    const depth = { own: 0, introspection: 0, lists: 0 }
    for (const field of selection.fields) {
      const below = depthOf(field.child)
      if (isIntrospectionField(field)) {
        const lists = below.lists + (introspectionLists.has(field.definition.name) ? 1 : 0)
        depth.introspection = Math.max(depth.introspection, below.introspection + 1)
        depth.lists = Math.max(depth.lists, lists)
      } else depth.own = Math.max(depth.own, below.own + 1)
    }
    depths.set(selection, depth)
  }
  return depthOf(plan.root)
}

function assertAliases(selection: SelectionPlan, limit: number): void {
  const counts = new Map<string, number>()
  for (const { aliased, definition, parentType } of selection.fields) {
    if (!aliased) continue
    const field = `${parentType.name}.${definition.name}`
    counts.set(field, (counts.get(field) ?? 0) + 1)
  }
  for (const [field, count] of counts) if (count > limit) throw tooComplex(`too many aliases of ${field}`, limit, count)
}
