import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type FragmentSpreadNode,
  type GraphQLCompositeType,
  GraphQLError,
  type GraphQLField,
  type GraphQLSchema,
  getNamedType,
  type InlineFragmentNode,
  isAbstractType,
  isCompositeType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  SchemaMetaFieldDef,
  type SelectionSetNode,
  TypeMetaFieldDef,
  TypeNameMetaFieldDef,
} from 'graphql'

/** A response field, merged from all selections with the same response key on the same object. */
export interface PlannedField {
  readonly key: string
  readonly aliased: boolean
  readonly parentType: GraphQLCompositeType
  readonly definition: GraphQLField<unknown, unknown>
  /** The first node that selects the field. All nodes of the field have the same arguments. */
  readonly node: FieldNode
  readonly nodes: readonly FieldNode[]
  /** Undefined if the field is a leaf. */
  readonly child: SelectionPlan | undefined
}

/** An operation's selections on one object, with fragments spread and equal response keys merged. */
export interface SelectionPlan {
  readonly fields: readonly PlannedField[]
}

export interface OperationPlan {
  readonly root: SelectionPlan
  /** Each plan comes before the plans that contain it. */
  readonly postOrder: readonly SelectionPlan[]
  /** The number of selections that `planOperation` visited. */
  readonly selections: number
}

export interface PlanInput {
  readonly schema: GraphQLSchema
  readonly operation: OperationDefinitionNode
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>
  readonly maxSelections: number
}

export class TooManySelections extends Error {}

export function fragmentsOf({ definitions }: DocumentNode): ReadonlyMap<string, FragmentDefinitionNode> {
  const fragments = definitions.filter((each) => each.kind === Kind.FRAGMENT_DEFINITION)
  return new Map(fragments.map((each) => [each.name.value, each]))
}

interface Group {
  key: string
  parentType: GraphQLCompositeType
  definition: GraphQLField<unknown, unknown>
  nodes: FieldNode[]
}

/**
 * Merges a valid operation into a plan (GraphQL §6.3.2 CollectFields, §6.4.3 MergeSelectionSets). Ignores `@skip` and
 * `@include`, so the plan may contain more fields than the response. Builds each selection plan only once, even if
 * several fields share it. Throws TooManySelections above `maxSelections`.
 */
export function planOperation(input: PlanInput): OperationPlan {
  const ids = new Map<SelectionSetNode, number>()
  const plans = new Map<string, SelectionPlan>()
  const postOrder: SelectionPlan[] = []
  let selections = 0

  function planOf(type: GraphQLCompositeType, sets: readonly SelectionSetNode[]): SelectionPlan {
    const key = memoKey(type, sets, ids)
    const known = plans.get(key)
    if (known) return known
    const groups = new Map<string, Group>()
    const spread = new Set<string>()
    for (const set of sets) collect(type, set, groups, spread)
    const plan = { fields: Array.from(groups.values(), plannedField) }
    plans.set(key, plan)
    postOrder.push(plan)
    return plan
  }

  function plannedField({ key, parentType, definition, nodes }: Group): PlannedField {
    const node = nodes[0]!
    const type = getNamedType(definition.type)
    const sets = nodes.flatMap((each) => each.selectionSet ?? [])
    const child = isCompositeType(type) ? planOf(type, sets) : undefined
    return { key, aliased: key !== node.name.value, parentType, definition, node, nodes, child }
  }

  function collect(
    type: GraphQLCompositeType,
    set: SelectionSetNode,
    groups: Map<string, Group>,
    spread: Set<string>,
  ): void {
    for (const selection of set.selections) {
      selections += 1
      if (selections > input.maxSelections) throw new TooManySelections()
      if (selection.kind === Kind.FIELD) {
        addField(input.schema, type, selection, groups)
        continue
      }
      const fragment = fragmentOf(selection, input.fragments)
      const narrowed = fragment && narrow(input.schema, type, fragment)
      if (!fragment || !narrowed || isSpread(selection, narrowed, spread)) continue
      collect(narrowed, fragment.selectionSet, groups, spread)
    }
  }

  const rootType = input.schema.getRootType(input.operation.operation)
  if (!rootType) {
    const message = `the schema has no root type for a ${input.operation.operation}`
    throw new GraphQLError(message, { nodes: input.operation })
  }
  const root = planOf(rootType, [input.operation.selectionSet])
  return { root, postOrder, selections }
}

function memoKey(
  type: GraphQLCompositeType,
  sets: readonly SelectionSetNode[],
  ids: Map<SelectionSetNode, number>,
): string {
  const numbers = new Set<number>()
  for (const set of sets) {
    let id = ids.get(set)
    if (id === undefined) {
      id = ids.size
      ids.set(set, id)
    }
    numbers.add(id)
  }
  const sorted = [...numbers].sort((a, b) => a - b)
  return `${type.name} ${sorted.join(' ')}`
}

function addField(
  schema: GraphQLSchema,
  type: GraphQLCompositeType,
  node: FieldNode,
  groups: Map<string, Group>,
): void {
  const definition = fieldDefinition(schema, type, node.name.value)
  if (!definition) return
  const key = node.alias?.value ?? node.name.value
  const groupKey = `${type.name} ${key}`
  const group = groups.get(groupKey)
  if (group) group.nodes.push(node)
  else groups.set(groupKey, { key, parentType: type, definition, nodes: [node] })
}

function fieldDefinition(
  schema: GraphQLSchema,
  type: GraphQLCompositeType,
  name: string,
): GraphQLField<unknown, unknown> | undefined {
  if (name === TypeNameMetaFieldDef.name) return TypeNameMetaFieldDef
  if (type === schema.getQueryType()) {
    if (name === SchemaMetaFieldDef.name) return SchemaMetaFieldDef
    if (name === TypeMetaFieldDef.name) return TypeMetaFieldDef
  }
  return 'getFields' in type ? type.getFields()[name] : undefined
}

function fragmentOf(
  selection: FragmentSpreadNode | InlineFragmentNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): FragmentDefinitionNode | InlineFragmentNode | undefined {
  return selection.kind === Kind.INLINE_FRAGMENT ? selection : fragments.get(selection.name.value)
}

/** Returns the type whose fields a fragment selects on `type`, or undefined if the fragment does not apply. */
function narrow(
  schema: GraphQLSchema,
  type: GraphQLCompositeType,
  fragment: FragmentDefinitionNode | InlineFragmentNode,
): GraphQLCompositeType | undefined {
  const condition = fragment.typeCondition && schema.getType(fragment.typeCondition.name.value)
  if (!condition || condition === type) return type
  if (!isCompositeType(condition)) return undefined
  if (isObjectType(type)) return isAbstractType(condition) && schema.isSubType(condition, type) ? type : undefined
  return condition
}

function isSpread(
  selection: FragmentSpreadNode | InlineFragmentNode,
  type: GraphQLCompositeType,
  spread: Set<string>,
): boolean {
  if (selection.kind === Kind.INLINE_FRAGMENT) return false
  const key = `${type.name} ${selection.name.value}`
  if (spread.has(key)) return true
  spread.add(key)
  return false
}
