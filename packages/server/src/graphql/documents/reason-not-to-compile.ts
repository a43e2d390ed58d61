import {
  type DirectiveNode,
  type DocumentNode,
  getNamedType,
  isAbstractType,
  Kind,
  type OperationDefinitionNode,
  visit,
} from 'graphql'
import type { OperationPlan } from './selection-plan.ts'

/** The maximum number of selections in a compiled operation, after fragments are spread. */
const compiledSelections = 2_000

/** The maximum length of a response key, in characters. The compiled code repeats the whole path for every field. */
const compiledKeyLength = 100

/** Matches the compiler's loop variables, which are part of the names that it generates for positions in a response. */
const loopVariable = /^idx\d+_/

/**
 * Returns why an operation must not be compiled, or undefined if the compiled operation returns the same response as
 * graphql-js. The compiler (graphql-jit 0.8.9) produces wrong results for these constructs:
 *
 * - variables inside literals
 * - directives on fragments, on fields with a selection, and on repeated fields
 * - conditions that are null
 * - the name `__proto__`
 *
 * The compiler fails for response keys that it joins to the same name, such as `a_b` next to `a { b }`. With abstract
 * types, an operation never completes if a type resolver throws.
 */
export function reasonNotToCompile(input: {
  document: DocumentNode
  operation: OperationDefinitionNode
  plan: OperationPlan
}): string | undefined {
  if (input.operation.operation === 'subscription') return 'subscription'
  // If a mutation with a non-null type fails, graphql-js does not run the next one, but a compiled operation does.
  if (input.operation.operation === 'mutation' && input.plan.root.fields.length > 1) return 'several mutations'
  if (input.plan.selections > compiledSelections) return 'size'
  return reasonInDocument(input.document, input.operation) ?? reasonInPlan(input.plan)
}

function reasonInDocument(document: DocumentNode, operation: OperationDefinitionNode): string | undefined {
  let reason: string | undefined
  visit(document, {
    enter(node, _key, _parent, _path, ancestors) {
      if (reason) return false
      if (node.kind === Kind.NAME && node.value === '__proto__') reason = 'name __proto__'
      else if (node.kind === Kind.DIRECTIVE && hasNullableCondition(node, operation)) reason = 'nullable condition'
      else if (node.kind === Kind.VARIABLE && ancestors.some(isLiteral)) reason = 'variable inside a literal'
      else if ('directives' in node && node.directives?.length) {
        if (node.kind !== Kind.FIELD) reason = 'directive outside a field'
        else if (node.selectionSet) reason = 'directive on a field with a selection'
      }
      return undefined
    },
  })
  return reason
}

function hasNullableCondition(
  directive: DirectiveNode,
  { variableDefinitions = [] }: OperationDefinitionNode,
): boolean {
  return (directive.arguments ?? []).some(({ value }) => {
    if (value.kind !== Kind.VARIABLE) return false
    const definition = variableDefinitions.find(({ variable }) => variable.name.value === value.name.value)
    return definition?.type.kind !== Kind.NON_NULL_TYPE
  })
}

const isLiteral = (ancestor: unknown): boolean =>
  typeof ancestor === 'object' &&
  ancestor !== null &&
  'kind' in ancestor &&
  (ancestor.kind === Kind.LIST || ancestor.kind === Kind.OBJECT)

function reasonInPlan(plan: OperationPlan): string | undefined {
  const keys = new Set<string>()
  for (const { fields } of plan.postOrder)
    for (const { key, parentType, definition, nodes } of fields) {
      keys.add(key)
      if (nodes.length > 1 && nodes.some(({ directives }) => directives?.length)) return 'directive on a repeated field'
      if (isAbstractType(parentType) || isAbstractType(getNamedType(definition.type))) return 'abstract type'
    }
  for (const key of keys) {
    if (key.length > compiledKeyLength) return 'size'
    if (isAmbiguous(key, keys)) return 'ambiguous response key'
  }
  return undefined
}

/**
 * Checks whether the compiler may generate the same name for a key and for another position. Two joined paths can be
 * equal only if one key starts with another key and `_`.
 */
function isAmbiguous(key: string, keys: ReadonlySet<string>): boolean {
  if (loopVariable.test(key)) return true
  for (let end = key.indexOf('_', 1); end !== -1; end = key.indexOf('_', end + 1))
    if (keys.has(key.slice(0, end))) return true
  return false
}
