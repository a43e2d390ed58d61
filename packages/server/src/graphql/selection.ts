import { type FieldNode, type GraphQLResolveInfo, Kind, type SelectionSetNode } from 'graphql'

type Fragments = GraphQLResolveInfo['fragments']
type Info = Pick<GraphQLResolveInfo, 'fieldNodes' | 'fragments'>

/**
 * Makes a look-ahead: which fields of these names the document asks for at `path` below a resolved field, in the order of `names`.
 * Fragments are followed; `@skip` and `@include` are not judged, so a field may be among them that is left out in the end.
 */
export function lookAhead(path: readonly string[], names: readonly string[]): (info: Info) => readonly string[] {
  // Documents are cached and their nodes with them: each node is looked at once.
  const known = new WeakMap<FieldNode, readonly string[]>()
  const askedBelow = (nodes: readonly FieldNode[], fragments: Fragments): readonly string[] => {
    const asked = new Set(fieldsAt(nodes, path, fragments).map(({ name }) => name.value))
    return names.filter((name) => asked.has(name))
  }
  return ({ fieldNodes, fragments }) => {
    if (fieldNodes.length > 1) return askedBelow(fieldNodes, fragments)
    const [node] = fieldNodes as readonly [FieldNode]
    let asked = known.get(node)
    if (asked === undefined) {
      asked = askedBelow([node], fragments)
      known.set(node, asked)
    }
    return asked
  }
}

/** Every field selected at `path` below these nodes. */
function fieldsAt(nodes: readonly FieldNode[], path: readonly string[], fragments: Fragments): FieldNode[] {
  let below = selectedFields(nodes, fragments)
  for (const step of path) {
    const holders = below.filter(({ name }) => name.value === step)
    below = selectedFields(holders, fragments)
  }
  return below
}

/** The fields selected right below, each fragment spread once: fragments that double at every level stay cheap. */
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
