import {
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLInputType,
  type GraphQLSchema,
  isNonNullType,
  Kind,
  type OperationDefinitionNode,
  parse,
  TypeInfo,
  typeFromAST,
  type VariableDefinitionNode,
  valueFromAST,
  visit,
  visitWithTypeInfo,
} from 'graphql'
import { fragmentsOf } from '../graphql/documents/selection-plan.ts'
import { withFragments } from './fragments.ts'
import type { Route } from './route.ts'

export interface Parameter {
  readonly name: string
  readonly type: GraphQLInputType
  readonly isRequired: boolean
  readonly defaultValue: unknown
  readonly description: string | undefined
}

export interface Operation {
  readonly route: Route
  readonly id: string
  readonly text: string
  readonly definition: OperationDefinitionNode
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>
  readonly isChange: boolean
  /** The names of the parameters in the path, including those that are not variables. */
  readonly pathNames: readonly string[]
  readonly pathParameters: readonly Parameter[]
  /**
   * The variables that are not in the path, except `$self`. They are query parameters for GET, and otherwise members of
   * the body, unless `route.body` is set.
   */
  readonly parameters: readonly Parameter[]
}

/** The name of the variable for the ID of the caller's account. */
export const SELF = 'self'

export function readOperation(route: Route, schema: GraphQLSchema): Operation {
  const text = withFragments(route.document)
  const document = parse(text)
  const definition = operationOf(document)
  const descriptions = describeVariables(document, schema)
  const parameters = (definition.variableDefinitions ?? []).map((each) => readParameter(each, { schema, descriptions }))
  const pathNames = namesIn(route.path)
  const isInPath = ({ name }: Parameter): boolean => pathNames.includes(name)
  return {
    route,
    id: definition.name?.value ?? '',
    text,
    definition,
    fragments: fragmentsOf(document),
    isChange: route.method !== 'GET',
    pathNames,
    pathParameters: parameters.filter(isInPath),
    parameters: parameters.filter((each) => !isInPath(each) && each.name !== SELF),
  }
}

export const namesIn = (path: string): string[] => Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = '']) => name)

function operationOf({ definitions }: DocumentNode): OperationDefinitionNode {
  const found = definitions.find(({ kind }) => kind === Kind.OPERATION_DEFINITION)
  if (found?.kind !== Kind.OPERATION_DEFINITION) throw new Error('a document of the REST API has no operation')
  return found
}

function readParameter(
  definition: VariableDefinitionNode,
  { schema, descriptions }: { schema: GraphQLSchema; descriptions: ReadonlyMap<string, string> },
): Parameter {
  const name = definition.variable.name.value
  const type = typeFromAST(schema, definition.type) as GraphQLInputType | undefined
  if (type === undefined) throw new Error(`the type of $${name} is not in the schema`)
  const defaultValue = definition.defaultValue && valueFromAST(definition.defaultValue, type)
  return {
    name,
    type,
    isRequired: isNonNullType(type) && defaultValue === undefined,
    defaultValue,
    description: descriptions.get(name) ?? (name === 'context' ? readIn : undefined),
  }
}

const readIn = 'The context in which the server reads attributes. Without a context, a GET request reads base values.'

function describeVariables(document: DocumentNode, schema: GraphQLSchema): ReadonlyMap<string, string> {
  const descriptions = new Map<string, string>()
  const typeInfo = new TypeInfo(schema)
  visit(
    document,
    visitWithTypeInfo(typeInfo, {
      VariableDefinition: () => false,
      Variable({ name }) {
        const directive = typeInfo.getDirective()
        const description = directive
          ? `Whether the response contains ${typeInfo.getFieldDef()?.name}, which takes time to count.`
          : typeInfo.getArgument()?.description
        if (description) descriptions.set(name.value, description)
      },
    }),
  )
  return descriptions
}
