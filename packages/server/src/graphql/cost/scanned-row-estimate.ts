import type { ResolvedFilter } from '@muster/filter'
import {
  type GraphQLSchema,
  getLocation,
  getNamedType,
  getNullableType,
  isCompositeType,
  isListType,
  isObjectType,
  print,
} from 'graphql'
import type { OperationPlan, PlannedField, SelectionPlan } from '../documents/selection-plan.ts'
import { isPageType } from '../lists/lazy-page-fields.ts'
import { type Arguments, argumentValues, hasVariable } from './response-object-count.ts'

export interface AccountSize {
  readonly devices: number
  readonly events: number
  /** Set if the caller is restricted to some devices, which the filter `restriction.devices` selects. */
  readonly restriction?: { readonly devices: ResolvedFilter | undefined }
}

/** The numbers of rows that a field may read without returning them: for the field itself, and for each `total`. */
export interface FieldRows {
  readonly rows: number
  readonly total?: number
}

/** A field that reads only the rows that it returns has a cost of 0. */
export type RowCost = 0 | ((args: Arguments, size: AccountSize) => FieldRows)

/**
 * The cost of each field, keyed by `Type.field`. Every field that returns a list of objects or a page needs an entry,
 * except introspection fields and the `items` of pages.
 */
export type RowCosts = Readonly<Record<string, RowCost>>

/** A field that may read at least `MANY_ROWS` rows without returning them. */
export interface WalkingField {
  /** The response keys from the root to the field, joined by dots. For a `total`, they lead to its page. */
  readonly path: string
  readonly line: number
  readonly column: number
}

export interface RowCount {
  readonly rows: number
  /** The number of walking fields. A page and each of its `total` selections count separately. */
  readonly walkingFields: number
  /** Returns undefined if there is no walking field at this position. Positions start at 0, in document order. */
  walkingField(position: number): WalkingField | undefined
}

export type CountRows = (variables: Arguments, size: AccountSize) => RowCount

export const MANY_ROWS = 2_000

/** Throws if a page or a list of objects has no entry in `rowCosts`, because it would otherwise be free by mistake. */
export function createRowCounter(schema: GraphQLSchema, rowCosts: RowCosts): (plan: OperationPlan) => CountRows {
  assertEveryListHasCost(schema, rowCosts)
  return (plan) => countPlan(plan, rowCosts)
}

export const countNoRows: CountRows = () => noRows

interface CountedField {
  /** The number of selections of `total`. Each alias counts. */
  readonly totals: number
  readonly call: Call
}

/** Selections of the same field with the same arguments share one call, which is evaluated once. */
interface Call {
  readonly field: PlannedField
  readonly cost: Exclude<RowCost, 0>
  /** Undefined if the arguments are invalid or depend on variables. */
  readonly args: Arguments | undefined
}

interface Sum {
  rows: number
  walkingFields: number
}

const zero: Sum = { rows: 0, walkingFields: 0 }
const noRows: RowCount = { ...zero, walkingField: () => undefined }

function countPlan(plan: OperationPlan, rowCosts: RowCosts): CountRows {
  const counted = new Map<PlannedField, CountedField>()
  const calls = new Map<string, Call>()
  for (const { fields } of plan.postOrder)
    for (const field of fields) {
      const cost = rowCosts[nameOf(field)]
      if (typeof cost !== 'function') continue
      const text = [nameOf(field), ...(field.node.arguments ?? []).map(print)].join(' ')
      const call = calls.get(text) ?? callOf(field, cost)
      calls.set(text, call)
      counted.set(field, { totals: totalsIn(field), call })
    }
  if (counted.size === 0) return countNoRows

  const count: CountRows = (variables, size) => {
    const evaluated = new Map(calls.values().map((call) => [call, evaluate(call, variables, size)]))
    const own = new Map<PlannedField, Sum>()
    for (const [field, { totals, call }] of counted) {
      const sum = sumOf(evaluated.get(call), totals)
      if (sum.rows + sum.walkingFields > 0) own.set(field, sum)
    }
    if (own.size === 0) return noRows
    // A selection plan that several fields share counts once for each of these fields.
    const sums = new Map<SelectionPlan, Sum>()
    for (const selection of plan.postOrder) {
      const sum = { ...zero }
      for (const field of selection.fields) {
        for (const part of [own.get(field), field.child && sums.get(field.child)]) {
          sum.rows += part?.rows ?? 0
          sum.walkingFields += part?.walkingFields ?? 0
        }
      }
      sums.set(selection, sum)
    }
    const total = sums.get(plan.root) ?? zero
    const walkingField = (position: number): WalkingField | undefined => {
      for (const found of walkingFields(plan.root, { own, sums, path: '' })) if (position-- === 0) return found
      return undefined
    }
    return { ...total, walkingField }
  }
  const isConstant = calls.values().every(({ args }) => args !== undefined)
  return isConstant ? cacheBySize(count) : count
}

/** `size` can be a cache key: for unrestricted callers, it stays the same object until the account is counted again. */
function cacheBySize(count: CountRows): CountRows {
  const known = new WeakMap<AccountSize, RowCount>()
  return (_variables, size) => {
    let found = known.get(size)
    if (found === undefined) {
      found = count({}, size)
      known.set(size, found)
    }
    return found
  }
}

const totalsIn = ({ child }: PlannedField): number =>
  child?.fields.filter(({ definition }) => definition.name === 'total').length ?? 0

function callOf(field: PlannedField, cost: Exclude<RowCost, 0>): Call {
  const isConstant = !field.node.arguments?.some(({ value }) => hasVariable(value))
  return { field, cost, args: isConstant ? argumentValues(field, {}) : undefined }
}

/** Returns undefined if the arguments are invalid. */
function evaluate({ field, cost, args }: Call, variables: Arguments, size: AccountSize): FieldRows | undefined {
  const values = args ?? argumentValues(field, variables)
  return values && cost(values, size)
}

function sumOf(found: FieldRows | undefined, totals: number): Sum {
  if (found === undefined) return zero
  const { rows, total = 0 } = found
  return {
    rows: rows + (totals > 0 ? totals * total : 0),
    walkingFields: (rows >= MANY_ROWS ? 1 : 0) + (total >= MANY_ROWS ? totals : 0),
  }
}

function* walkingFields(
  selection: SelectionPlan,
  { own, sums, path }: { own: ReadonlyMap<PlannedField, Sum>; sums: ReadonlyMap<SelectionPlan, Sum>; path: string },
): Generator<WalkingField> {
  for (const field of selection.fields) {
    const at = path === '' ? field.key : `${path}.${field.key}`
    for (let times = own.get(field)?.walkingFields ?? 0; times > 0; times--) yield { path: at, ...locationOf(field) }
    if (field.child && (sums.get(field.child)?.walkingFields ?? 0) > 0)
      yield* walkingFields(field.child, { own, sums, path: at })
  }
}

function locationOf({ node }: PlannedField): { line: number; column: number } {
  return node.loc === undefined ? { line: 0, column: 0 } : getLocation(node.loc.source, node.loc.start)
}

const nameOf = ({ parentType, definition }: PlannedField): string => `${parentType.name}.${definition.name}`

function assertEveryListHasCost(schema: GraphQLSchema, rowCosts: RowCosts): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__') || isPageType(type.name)) continue
    for (const field of Object.values(type.getFields())) {
      const named = getNamedType(field.type)
      const isList = isListType(getNullableType(field.type)) || isPageType(named.name)
      if (!isList || !isCompositeType(named) || rowCosts[`${type.name}.${field.name}`] !== undefined) continue
      throw new Error(
        `${type.name}.${field.name} is a page or a list of objects, but has no entry in rowCosts: add one`,
      )
    }
  }
}

export interface RowsRead {
  /** The estimated maximum number of rows that a statement reads but does not return. */
  rows: number
  /** Why the statement may be slow, for error messages. If empty, the statement runs in the quick `Lane`. */
  reasons: readonly string[]
}

export const noRowsRead: RowsRead = { rows: 0, reasons: [] }
