import { type GraphQLSchema, getNamedType, isInputObjectType } from 'graphql'
import type { Operation, Parameter } from '../operation.ts'
import { statusOf } from '../route.ts'
import { componentRef, inputSchema, type JsonSchema, nullableInputSchema } from './json-schema.ts'
import { responseSchema } from './response-schema.ts'

export function operationSchema(operation: Operation, tag: string, schema: GraphQLSchema): object {
  const { route, id, isChange, pathNames, pathParameters, parameters } = operation
  const described = new Map(pathParameters.map((each) => [each.name, each.description]))
  const inPath = pathNames.map((name) => {
    const description = described.get(name)
    return [name, { type: 'string', ...(description && { description }) }]
  })
  return {
    operationId: id,
    summary: route.summary,
    tags: [tag],
    deprecated: true,
    ...(route.isPublic && { security: [] }),
    ...(route.location !== undefined && { headers: idempotencyHeader }),
    ...(inPath.length > 0 && { params: { type: 'object', properties: Object.fromEntries(inPath) } }),
    ...(!isChange && parameters.length > 0 && { querystring: querySchema(parameters) }),
    ...(isChange && parameters.length > 0 && { body: bodySchema(operation) }),
    ...(route.body !== undefined && { consumes: ['application/json', 'application/merge-patch+json'] }),
    response: {
      [statusOf(route)]: successSchema(operation, schema),
      '4XX': errorsWith(
        'The server rejected the request. Nothing changed unless extensions.outcome is done. Exception: POST /bulk-jobs/run can create a job without starting it.',
      ),
      '5XX': errorsWith(
        'The server or its database failed, is overloaded, or is unavailable. A change may have been made, so check before you repeat the request.',
      ),
    },
  }
}

const idempotencyHeader = {
  type: 'object',
  properties: {
    'Idempotency-Key': {
      type: 'string',
      description:
        'A unique string of 1 to 255 printable ASCII characters, in double quotes. A repeated request with the same key within 24 hours does not create another object.',
    },
  },
}

function successSchema(operation: Operation, schema: GraphQLSchema): object {
  switch (statusOf(operation.route)) {
    case 200:
      return described('Success.', responseSchema(operation, schema))
    case 201:
      return {
        ...described('Created.', responseSchema(operation, schema)),
        headers: { Location: { type: 'string', description: 'The path of the new object.' } },
      }
    case 204:
      return { type: 'null', description: 'Success. The response has no body.' }
  }
}

const errorsWith = (description: string): object => described(description, componentRef('Error'))

/** @fastify/swagger takes a response's description from either of these members. */
const described = (description: string, schema: JsonSchema): object =>
  schema.$ref === undefined ? { 'x-response-description': description, ...schema } : { description, ...schema }

function querySchema(parameters: readonly Parameter[]): JsonSchema {
  return {
    type: 'object',
    properties: Object.fromEntries(parameters.map((each) => [each.name, querySchemaOf(each)])),
    required: parameters.filter(({ isRequired }) => isRequired).map(({ name }) => name),
  }
}

function querySchemaOf(parameter: Parameter): JsonSchema {
  const schema = withNotes(inputSchema(parameter.type), parameter)
  const isInput = isInputObjectType(getNamedType(parameter.type))
  if (schema.type !== 'object' && !isInput) return schema
  const { name, description = '' } = parameter
  const example = isInput ? 'where=site%20%3D%20oslo' : 'site=oslo'
  return {
    ...(isInput ? { allOf: [inputSchema(parameter.type)] } : schema),
    'x-consume': 'application/json',
    description: `${description} You can also pass a string member as a parameter, such as ${name}.${example}.`.trim(),
  }
}

function bodySchema({ route, parameters }: Operation): JsonSchema {
  const [whole] = parameters
  if (route.body !== undefined && whole !== undefined) return withNotes(inputSchema(whole.type), whole)
  const required = parameters.filter(({ name, isRequired }) => isRequired || route.written?.includes(name))
  return {
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(
      parameters.map((each) => [each.name, withNotes(nullableInputSchema(each.type), each)]),
    ),
    required: required.map(({ name }) => name),
  }
}

const withNotes = (schema: JsonSchema, { description, defaultValue }: Parameter): JsonSchema => ({
  ...schema,
  ...(description && { description }),
  ...(defaultValue !== undefined && { default: defaultValue }),
})
