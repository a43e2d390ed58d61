import {
  type GraphQLSchema,
  getArgumentValues,
  getNamedType,
  isCompositeType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type ValueNode,
} from 'graphql'
import { introspectionBounds } from '../documents/introspection-bounds.ts'
import type { OperationPlan, PlannedField, SelectionPlan } from '../documents/selection-plan.ts'
import { isPageType } from '../lists/lazy-page-fields.ts'
import { WrittenItems } from '../written/writing-outcome.ts'

export type Arguments = Readonly<Record<string, unknown>>

export type ListBound = number | ((args: Arguments) => number)

/**
 * The maximum number of objects in each list, keyed by `Type.field`. Every list of objects needs an entry, except
 * introspection lists and the `items` of pages (see `createObjectCounter`).
 */
export type ListBounds = Readonly<Record<string, ListBound>>

/**
 * Returns the maximum number of objects in an operation's response for these coerced variables. For introspection, the
 * number is an estimate.
 */
export type ObjectCount = (variables: Arguments) => number

export function objectsIn(data: unknown, plan: SelectionPlan): number {
  if (typeof data !== 'object' || data === null) return 0
  let count = 0
  for (const { key, child } of plan.fields) if (child) count += objectsAt((data as Record<string, unknown>)[key], child)
  return count
}

function objectsAt(value: unknown, plan: SelectionPlan): number {
  if (value instanceof WrittenItems) return value.objects
  if (!Array.isArray(value)) return value === null || value === undefined ? 0 : 1 + objectsIn(value, plan)
  let count = 0
  for (const item of value) count += objectsAt(item, plan)
  return count
}

interface CountedField {
  readonly field: PlannedField
  readonly isPageItems: boolean
  readonly isPage: boolean
  readonly bound: ListBound
  /** Undefined if the arguments are invalid or depend on variables. */
  readonly args: Arguments | undefined
}

const noArguments: Arguments = {}

/**
 * Creates a counter of objects. A page is a type whose name ends with `List`. For each page, the counter includes as
 * many items as the argument `size` allows, at most `maxPageSize`. Throws if another list of objects has no entry in
 * `listBounds`, because the number of its objects would be unknown.
 */
export function createObjectCounter(input: {
  schema: GraphQLSchema
  listBounds: ListBounds
  maxPageSize: number
}): (plan: OperationPlan) => ObjectCount {
  const bounds: ListBounds = { ...introspectionBounds(input.schema), ...input.listBounds }
  assertEveryListBounded(input.schema, bounds)
  return (plan) => countOperation(plan, bounds, input.maxPageSize)
}

function countOperation(plan: OperationPlan, bounds: ListBounds, maxPageSize: number): ObjectCount {
  const counted = plan.postOrder.map((selection) => ({
    selection,
    fields: selection.fields.filter(({ child }) => child !== undefined).map((field) => countedField(field, bounds)),
  }))
  const count = (variables: Arguments): number => {
    const costs = new Map<SelectionPlan, Cost>()
    for (const { selection, fields } of counted) costs.set(selection, costOf({ fields, costs, variables, maxPageSize }))
    return costs.get(plan.root)?.fixed ?? 0
  }
  const isConstant = counted.every(({ fields }) => fields.every(({ args }) => args !== undefined))
  if (!isConstant) return count
  const constant = count({})
  return () => constant
}

interface Cost {
  fixed: number
  perItem: number
}

function costOf(input: {
  fields: readonly CountedField[]
  costs: ReadonlyMap<SelectionPlan, Cost>
  variables: Arguments
  maxPageSize: number
}): Cost {
  const cost = { fixed: 0, perItem: 0 }
  for (const { field, isPage, isPageItems, bound, args } of input.fields) {
    const below = (field.child && input.costs.get(field.child)) ?? { fixed: 0, perItem: 0 }
    if (isPageItems) {
      cost.perItem += 1 + below.fixed
      continue
    }
    const values = args ?? argumentValues(field, input.variables)
    if (!values) continue
    const times = typeof bound === 'number' ? bound : nonNegative(bound(values))
    const items = isPage ? Math.min(nonNegative(values.size), input.maxPageSize) : 0
    // Without the checks that `times` and `items` are above 0, `0 × ∞` would result in NaN.
    if (times > 0) cost.fixed += times * (1 + below.fixed + (items > 0 ? items * below.perItem : 0))
  }
  return cost
}

function countedField(field: PlannedField, bounds: ListBounds): CountedField {
  const bound = bounds[`${field.parentType.name}.${field.definition.name}`]
  return {
    field,
    isPageItems: bound === undefined && isPageItems(field.parentType.name, field.definition.name),
    isPage: isPageType(getNamedType(field.definition.type).name),
    bound: isList(field.definition.type) ? (bound ?? 1) : 1,
    args: field.node.arguments?.some(({ value }) => hasVariable(value))
      ? undefined
      : argumentValues(field, noArguments),
  }
}

/** Returns undefined if the arguments are invalid, because the field then fails and returns no objects. */
export function argumentValues({ definition, node }: PlannedField, variables: Arguments): Arguments | undefined {
  if (definition.args.length === 0) return noArguments
  try {
    const values = getArgumentValues(definition, node, variables)
    // For an argument with a default, resolvers treat an explicit null like an omitted argument.
    for (const { name, defaultValue } of definition.args)
      if (values[name] === null && defaultValue !== undefined) values[name] = defaultValue
    return values
  } catch {
    return undefined
  }
}

export function hasVariable(value: ValueNode): boolean {
  if (value.kind === Kind.VARIABLE) return true
  if (value.kind === Kind.LIST) return value.values.some(hasVariable)
  return value.kind === Kind.OBJECT && value.fields.some((field) => hasVariable(field.value))
}

const nonNegative = (size: unknown): number => (typeof size === 'number' && size > 0 ? size : 0)

const isPageItems = (typeName: string, fieldName: string): boolean => isPageType(typeName) && fieldName === 'items'

const isList = (type: unknown): boolean => isListType(isNonNullType(type) ? type.ofType : type)

function assertEveryListBounded(schema: GraphQLSchema, bounds: ListBounds): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type)) continue
    for (const field of Object.values(type.getFields())) {
      const isListOfObjects = isList(field.type) && isCompositeType(getNamedType(field.type))
      if (!isListOfObjects || isPageItems(type.name, field.name) || bounds[`${type.name}.${field.name}`] !== undefined)
        continue
      throw new Error(`${type.name}.${field.name} is a list of objects, but has no entry in listBounds: add one`)
    }
  }
}
