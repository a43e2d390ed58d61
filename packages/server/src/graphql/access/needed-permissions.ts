import {
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLIncludeDirective,
  type GraphQLObjectType,
  type GraphQLSchema,
  GraphQLSkipDirective,
  getArgumentValues,
  getDirectiveValues,
  getNamedType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type OperationTypeNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql'
import { maskOf, namesIn, type PermissionName } from '../../permissions.ts'
import { type Arguments, hasVariable } from '../cost/response-object-count.ts'

/** A permission, or a list of alternative permissions. An error names only the first alternative. */
export type Need = PermissionName | readonly PermissionName[]

/**
 * Returns the permissions that a field needs, or a function that returns them for the field's arguments. `field` has
 * the form `Type.field`, such as `Mutation.setAttribute`.
 */
export type FieldRules = (field: string) => readonly Need[] | ((args: Arguments) => readonly Need[])

export interface FieldNeed {
  readonly field: string
  readonly permission: PermissionName
}

interface MaskedNeed extends FieldNeed {
  /** A bit mask of alternative permissions. */
  readonly anyOf: number
}

/** Returns whether callers who are restricted to some devices or attribute names can select `field` (`Type.field`). */
export type IsOpenToRestricted = (field: string) => boolean

export interface DocumentNeeds {
  readonly kind: OperationTypeNode
  readonly all: readonly FieldNeed[]
  /** The fields, in sorted order, that restricted callers cannot select. */
  readonly closed: readonly string[]
  /** Returns the needs that the granted permissions do not meet, in sorted order. */
  missing(granted: number): readonly FieldNeed[]
  /** Returns all needs, each with the granted permission that meets it or, if none does, with its first alternative. */
  usedBy(granted: number): readonly FieldNeed[]
  without(isOmitted: (field: string) => boolean): DocumentNeeds
}

export interface OperationUse {
  readonly needs: DocumentNeeds
  /** Checks whether a field was rejected. Omitted if no field was rejected. */
  readonly rejected?: (field: string) => boolean
  /** True if the server rejected the document without running it. */
  readonly isRejected?: boolean
}

export type OperationNeeds = (variables: Arguments) => DocumentNeeds

export interface NeedsInput {
  operation: OperationDefinitionNode
  fragments: ReadonlyMap<string, FragmentDefinitionNode>
}

/** Returns a function that computes an operation's needs only once, unless they depend on variables. */
export function createNeedsReader(
  schema: GraphQLSchema,
  { rules, isOpen }: Pick<Reading, 'rules' | 'isOpen'>,
): (input: NeedsInput) => OperationNeeds {
  return (input) => {
    const found = readNeeds({ schema, rules, isOpen, ...input }, {})
    if (found.dependsOnVariables) return (variables) => readNeeds({ schema, rules, isOpen, ...input }, variables).needs
    return () => found.needs
  }
}

interface Reading extends NeedsInput {
  schema: GraphQLSchema
  rules: FieldRules
  isOpen: IsOpenToRestricted
}

/** Visits each selection set once for each type, so that nested fragments do not multiply the time. */
function readNeeds({ schema, rules, isOpen, operation, fragments }: Reading, variables: Arguments) {
  const needs = new Map<string, MaskedNeed>()
  const closed = new Set<string>()
  const visited = new Map<SelectionSetNode, Set<string>>()
  let dependsOnVariables = false

  const isIncluded = (node: SelectionNode): boolean => {
    if (!node.directives?.length) return true
    if (node.directives.some((directive) => directive.arguments?.some(({ value }) => hasVariable(value))))
      dependsOnVariables = true
    return (
      conditionOf(GraphQLSkipDirective, node, variables) !== true &&
      conditionOf(GraphQLIncludeDirective, node, variables) !== false
    )
  }

  const visitField = (type: GraphQLObjectType, node: FieldNode): void => {
    const definition = type.getFields()[node.name.value]
    // Introspection fields need no permission.
    if (definition === undefined) return
    const field = `${type.name}.${node.name.value}`
    if (!isOpen(field)) closed.add(field)
    let rule = rules(field)
    if (typeof rule === 'function') {
      if (node.arguments?.some(({ value }) => hasVariable(value))) dependsOnVariables = true
      rule = rule(argumentsOf(definition, node, variables))
    }
    for (const need of rule) {
      const list = typeof need === 'string' ? [need] : need
      needs.set(`${field} ${list[0]}`, { field, permission: list[0]!, anyOf: maskOf(list) })
    }
    const child = getNamedType(definition.type)
    if (node.selectionSet !== undefined && isObjectType(child)) visit(child, node.selectionSet)
  }

  const visit = (type: GraphQLObjectType, set: SelectionSetNode): void => {
    const types = visited.get(set) ?? new Set()
    visited.set(set, types)
    if (types.has(type.name)) return
    types.add(type.name)
    for (const selection of set.selections) {
      if (!isIncluded(selection)) continue
      if (selection.kind === Kind.FIELD) visitField(type, selection)
      else if (selection.kind === Kind.INLINE_FRAGMENT) visit(type, selection.selectionSet)
      else visit(type, fragments.get(selection.name.value)!.selectionSet)
    }
  }

  visit(schema.getRootType(operation.operation)!, operation.selectionSet)
  return {
    needs: documentNeeds([...needs.values()], { kind: operation.operation, closed: [...closed].sort() }),
    dependsOnVariables,
  }
}

function documentNeeds(needs: MaskedNeed[], document: Pick<DocumentNeeds, 'kind' | 'closed'>): DocumentNeeds {
  const all = needs.sort((one, other) =>
    `${one.field} ${one.permission}` < `${other.field} ${other.permission}` ? -1 : 1,
  )
  const masks = [...new Set(all.map(({ anyOf }) => anyOf))]
  const named = all.map(({ field, permission }) => ({ field, permission }))
  return {
    all: named,
    ...document,
    missing: (granted) =>
      masks.every((mask) => granted & mask) ? [] : named.filter((_need, index) => !(granted & all[index]!.anyOf)),
    usedBy: (granted) =>
      all.map(({ field, permission, anyOf }) => ({
        field,
        permission: granted & maskOf([permission]) ? permission : (namesIn(granted & anyOf)[0] ?? permission),
      })),
    without: (isOmitted) =>
      documentNeeds(
        all.filter(({ field }) => !isOmitted(field)),
        document,
      ),
  }
}

function conditionOf(directive: typeof GraphQLSkipDirective, node: SelectionNode, variables: Arguments): unknown {
  try {
    return getDirectiveValues(directive, node, variables)?.if
  } catch {
    // If the condition is a variable without a value, the selection counts as included.
    return undefined
  }
}

function argumentsOf(
  definition: Parameters<typeof getArgumentValues>[0],
  node: FieldNode,
  variables: Arguments,
): Arguments {
  try {
    return getArgumentValues(definition, node, variables)
  } catch {
    return {}
  }
}
