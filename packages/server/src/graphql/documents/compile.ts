import {
  type ConstValueNode,
  type DefinitionNode,
  type DocumentNode,
  type ExecutionResult,
  type GraphQLArgument,
  GraphQLScalarType,
  type GraphQLSchema,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  TypeInfo,
  type VariableDefinitionNode,
  type VariableNode,
  valueFromAST,
  visit,
  visitWithTypeInfo,
} from 'graphql'
import { compileQuery, isCompiledQuery } from 'graphql-jit'
import { causeOf } from '../error-mapping.ts'
import { firstErrors } from '../first-errors.ts'
import { compiledMark, isPromise } from '../lists/list-results.ts'
import type { RowWriters } from '../written/field-writer.ts'
import { infoOfPage, planWrittenPages, type WrittenPages, withWrittenPages } from '../written/plan-written-pages.ts'
import { WritingError } from '../written/writing-outcome.ts'
import type { OperationPlan } from './selection-plan.ts'

export type CompiledOperation = (
  contextValue: unknown,
  variables: Readonly<Record<string, unknown>>,
) => ExecutionResult | Promise<ExecutionResult>

interface Literal {
  readonly name: string
  readonly value: () => unknown
}

/**
 * Compiles an operation. Passes every literal argument of a field as a variable. Otherwise, a crafted string could
 * break out of the JavaScript that the compiler generates for literals (`__MAGIC_DATE__…`). Returns undefined if the
 * compiler fails or a literal is invalid.
 */
export function compileOperation(input: {
  schema: GraphQLSchema
  document: DocumentNode
  operation: OperationDefinitionNode
  plan: OperationPlan
  writers: RowWriters
}): CompiledOperation | undefined {
  const { schema, writers } = input
  const { document, literals } = liftLiterals(input)
  if (literals.some(({ value }) => value() === undefined)) return undefined
  const variablesOf = (variables: Readonly<Record<string, unknown>>): Record<string, unknown> => {
    const all: Record<string, unknown> = { ...variables }
    for (const { name, value } of literals) all[name] = value()
    return all
  }
  const operation = document.definitions.find((each) => each.kind === Kind.OPERATION_DEFINITION)!
  const written = planWrittenPages({ schema, document, operation, writers })
  const run = runCompiled(input, document, written)
  if (run === undefined) return undefined
  if (written === undefined) return (contextValue, variables) => run(contextValue, variablesOf(variables))
  let runResolving: CompiledOperation | undefined
  return async (contextValue, variables) => {
    const result = await run(contextValue, variablesOf(variables))
    if (!result.errors?.some((error) => causeOf(error) instanceof WritingError)) return result
    runResolving ??= runCompiled(input, document)
    return runResolving === undefined ? result : runResolving(contextValue, variablesOf(variables))
  }
}

/** With `written`, page items are written as JSON from database rows. Returns undefined if the compiler fails. */
function runCompiled(
  input: { schema: GraphQLSchema; operation: OperationDefinitionNode; plan: OperationPlan; writers: RowWriters },
  document: DocumentNode,
  written?: WrittenPages,
): CompiledOperation | undefined {
  const { schema, operation, plan, writers } = input
  const view = written === undefined ? schema : withWrittenPages(schema, writers.pages)
  const compiled = compileQuery(withCoercedScalar(view), document, undefined, {
    disablingCapturingStackErrors: true,
    // Leaf serialization would allocate two error lists for each value.
    disableLeafSerialization: true,
    resolverInfoEnricher: ({ fieldNodes }) => ({
      ...compiledMark,
      schema,
      operation,
      ...(written && infoOfPage(written, fieldNodes[0])),
    }),
  })
  if (!isCompiledQuery(compiled)) return undefined
  const withFirstErrors = (result: ExecutionResult): ExecutionResult =>
    result.errors === undefined ? result : { ...result, errors: firstErrors(result, plan) }
  return (contextValue, variables) => {
    const result = compiled.query(undefined, contextValue, variables) as ExecutionResult | Promise<ExecutionResult>
    return isPromise(result) ? result.then(withFirstErrors) : withFirstErrors(result)
  }
}

/** The compiler identifies a resolver by the joined names of its type and field, which must therefore be unique. */
export function assertCompilable(schema: GraphQLSchema): void {
  const places = new Map<string, string>()
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type)) continue
    for (const field of Object.keys(type.getFields())) {
      const joined = `${type.name}${field}`
      const place = `${type.name}.${field}`
      const other = places.get(joined)
      if (other) throw new Error(`${other} and ${place} have the same compiled name, ${joined}: rename one of them`)
      places.set(joined, place)
    }
  }
}

const anything = new GraphQLScalarType({ name: 'Coerced' })

function withCoercedScalar(schema: GraphQLSchema): GraphQLSchema {
  return Object.create(schema, {
    getType: { value: (name: string) => (name === anything.name ? anything : schema.getType(name)) },
  }) as GraphQLSchema
}

/**
 * Replaces the literal arguments of fields with variables. All variables get the type `Coerced`, which accepts
 * anything, because their values have already been coerced. Only the operation's own variables of type `Boolean!` keep
 * their type, because they can be conditions of `@skip` and `@include`.
 */
function liftLiterals({
  schema,
  document,
  operation,
}: {
  schema: GraphQLSchema
  document: DocumentNode
  operation: OperationDefinitionNode
}): { document: DocumentNode; literals: readonly Literal[] } {
  const definitions = document.definitions.filter(
    (definition) => definition === operation || definition.kind === Kind.FRAGMENT_DEFINITION,
  )
  const prefix = unusedPrefix(operation)
  const literals: Literal[] = []
  const typeInfo = new TypeInfo(schema)
  const lifted: DocumentNode = visit(
    { kind: Kind.DOCUMENT, definitions } satisfies DocumentNode,
    visitWithTypeInfo(typeInfo, {
      Directive: () => false,
      VariableDefinition: () => false,
      Argument(node) {
        const argument = typeInfo.getArgument()
        if (!argument || node.value.kind === Kind.VARIABLE) return undefined
        const name = `${prefix}${literals.length}`
        literals.push({ name, value: literalValue(node.value as ConstValueNode, argument) })
        return { ...node, value: { ...variable(name), loc: node.value.loc } }
      },
    }),
  )
  const names = literals.map(({ name }) => name)
  return { document: { ...lifted, definitions: lifted.definitions.map((each) => retype(each, names)) }, literals }
}

/** If a resolver could modify the value, each call of the returned function creates a new value. */
function literalValue(node: ConstValueNode, argument: GraphQLArgument): () => unknown {
  const value: unknown = valueFromAST(node, argument.type)
  if (typeof value !== 'object' || value === null) return () => value
  return () => valueFromAST(node, argument.type)
}

function retype(definition: DefinitionNode, literals: readonly string[]): DefinitionNode {
  if (definition.kind !== Kind.OPERATION_DEFINITION) return definition
  const own = (definition.variableDefinitions ?? []).map((each) => (isCondition(each) ? each : coerced(each.variable)))
  const lifted = literals.map((name) => coerced(variable(name)))
  return { ...definition, variableDefinitions: [...own, ...lifted] }
}

/** The compiler requires a Boolean for `@skip` and `@include`. Coercing a Boolean again does not change it. */
function isCondition({ type }: VariableDefinitionNode): boolean {
  return type.kind === Kind.NON_NULL_TYPE && type.type.kind === Kind.NAMED_TYPE && type.type.name.value === 'Boolean'
}

const variable = (name: string): VariableNode => ({ kind: Kind.VARIABLE, name: { kind: Kind.NAME, value: name } })

const coerced = (node: VariableNode): VariableDefinitionNode => ({
  kind: Kind.VARIABLE_DEFINITION,
  variable: node,
  type: { kind: Kind.NAMED_TYPE, name: { kind: Kind.NAME, value: anything.name } },
})

function unusedPrefix({ variableDefinitions = [] }: OperationDefinitionNode): string {
  let prefix = 'literal'
  while (variableDefinitions.some(({ variable: { name } }) => name.value.startsWith(prefix))) prefix += '_'
  return prefix
}
