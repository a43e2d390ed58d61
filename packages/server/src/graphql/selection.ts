import { type FieldNode, type GraphQLResolveInfo, Kind, type SelectionSetNode } from 'graphql'

type Fragments = GraphQLResolveInfo['fragments']
type Info = Pick<GraphQLResolveInfo, 'fieldNodes' | 'fragments'>

/**
 * Returns a function that checks whether a document selects any field in `names` at `path` below a resolved field.
 * The function follows fragments but ignores `@skip` and `@include`, so the operation may still skip a selected field.
 */
export function lookAhead(path: readonly string[], names: ReadonlySet<string>): (info: Info) => boolean {
  // Cached documents reuse their nodes, so this cache avoids checking a node again.
  const cache = new WeakMap<FieldNode, boolean>()
  const selects = (node: FieldNode, fragments: Fragments): boolean => {
    let isSelected = cache.get(node)
    if (isSelected === undefined) {
      isSelected = fieldsAt([node], path, fragments).some(({ name }) => names.has(name.value))
      cache.set(node, isSelected)
    }
    return isSelected
  }
  return ({ fieldNodes, fragments }) => fieldNodes.some((node) => selects(node, fragments))
}

function fieldsAt(nodes: readonly FieldNode[], path: readonly string[], fragments: Fragments): FieldNode[] {
  let below = selectedFields(nodes, fragments)
  for (const step of path) {
    const holders = below.filter(({ name }) => name.value === step)
    below = selectedFields(holders, fragments)
  }
  return below
}

/** Follows each fragment only once. Otherwise, each fragment that spreads the next one twice would double the time. */
function selectedFields(nodes: readonly FieldNode[], fragments: Fragments): FieldNode[] {
  const fields: FieldNode[] = []
  const spread = new Set<string>()
  const collect = (set: SelectionSetNode | undefined): void => {
    for (const selection of set?.selections ?? []) {
      if (selection.kind === Kind.FIELD) fields.push(selection)
      else if (selection.kind === Kind.INLINE_FRAGMENT) collect(selection.selectionSet)
      else if (!spread.has(selection.name.value)) {
        spread.add(selection.name.value)
        collect(fragments[selection.name.value]?.selectionSet)
      }
    }
  }
  for (const node of nodes) collect(node.selectionSet)
  return fields
}

/**
 * Checks whether the request itself contains an argument and does not rely on the schema's default. An argument with a
 * variable counts if the variable has a value, which may be null.
 */
export function writesOut(
  { fieldNodes, variableValues }: Pick<GraphQLResolveInfo, 'fieldNodes' | 'variableValues'>,
  argument: string,
): boolean {
  const written = fieldNodes[0]?.arguments?.find(({ name }) => name.value === argument)?.value
  if (written === undefined) return false
  return written.kind !== Kind.VARIABLE || variableValues[written.name.value] !== undefined
}
