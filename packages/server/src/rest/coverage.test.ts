import {
  type ASTNode,
  type GraphQLArgument,
  type GraphQLObjectType,
  isObjectType,
  Kind,
  parse,
  TypeInfo,
  validate,
  visit,
  visitWithTypeInfo,
} from 'graphql'
import { describe, expect, test } from 'vitest'
import { permissions } from '../fields/field-permissions.ts'
import { buildSchema } from '../schema.ts'
import { readOperation } from './operation.ts'
import { routeName } from './route.ts'
import { routes } from './routes.ts'

const schema = buildSchema()
const operations = routes.map((route) => readOperation(route, schema))

/** Returns every `Type.field` that the routes' documents select, and every argument that they set with a variable. */
function reached(): { fields: Set<string>; args: Set<string> } {
  const fields = new Set<string>()
  const args = new Set<string>()
  for (const { text } of operations) {
    const typeInfo = new TypeInfo(schema)
    const fieldPath = (): string => `${typeInfo.getParentType()?.name}.${typeInfo.getFieldDef()?.name}`
    visit(
      parse(text),
      visitWithTypeInfo(typeInfo, {
        Field: () => void fields.add(fieldPath()),
        Argument: ({ name, value }) => {
          if (typeInfo.getDirective() === null && containsVariable(value)) args.add(`${fieldPath()}(${name.value})`)
        },
      }),
    )
  }
  return { fields, args }
}

function containsVariable(node: ASTNode): boolean {
  let found = false
  visit(node, {
    Variable() {
      found = true
    },
  })
  return found
}

const subscription = schema.getSubscriptionType()
const types = Object.values(schema.getTypeMap()).filter(
  (type): type is GraphQLObjectType => isObjectType(type) && !type.name.startsWith('__') && type !== subscription,
)
const all = types.flatMap((type) => Object.values(type.getFields()).map((field) => ({ type, field })))

describe('the table of routes', () => {
  test('reaches every schema field except subscriptions; add new fields to a document or a fragment', () => {
    const { fields } = reached()
    const missing = all.map(({ type, field }) => `${type.name}.${field.name}`).filter((field) => !fields.has(field))
    expect(missing).toEqual([])
  })

  test('can pass every argument of the schema except those of subscriptions', () => {
    const { args } = reached()
    const expected = all.flatMap(({ type, field }) =>
      field.args.map((arg) => `${type.name}.${field.name}(${arg.name})`),
    )
    expect(expected.filter((argument) => !args.has(argument))).toEqual([])
  })

  test('contains each route and each operation name once', () => {
    const names = routes.map(routeName)
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
    const ids = operations.map(({ id }) => id)
    expect(ids.filter((id, index) => id === '' || ids.indexOf(id) !== index)).toEqual([])
  })

  test('requires no signature exactly for the routes whose fields need no credentials', () => {
    const rules = operations.map(({ route, definition }) => {
      const root = definition.operation === 'query' ? 'Query' : 'Mutation'
      const isPublic = definition.selectionSet.selections.every(
        (node) => node.kind === Kind.FIELD && permissions[`${root}.${node.name.value}`] === 'anyone',
      )
      return [routeName(route), route.isPublic === true, isPublic]
    })
    expect(rules.filter(([, declared, expected]) => declared !== expected)).toEqual([])
  })
})

describe.each(operations.map((operation) => [routeName(operation.route), operation] as const))(
  '%s',
  (_name, operation) => {
    test('runs a valid document: a query for GET, and one mutation for any other method', () => {
      expect(validate(schema, parse(operation.text))).toEqual([])
      expect(operation.definition.operation).toBe(operation.isChange ? 'mutation' : 'query')
      if (operation.isChange) expect(operation.definition.selectionSet.selections).toHaveLength(1)
    })

    test('uses every path parameter in its document or its response', () => {
      const declared = operation.pathParameters.map(({ name }) => name)
      const unused = operation.pathNames.filter(
        (name) => !declared.includes(name) && !operation.route.at?.includes(`[${name}]`),
      )
      expect(unused).toEqual([])
    })

    test('uses the argument defaults of the schema, except for sort arguments if the route accepts a view', () => {
      const typeInfo = new TypeInfo(schema)
      const defaults = new Map(operation.parameters.map((each) => [each.name, each]))
      visit(
        operation.definition,
        visitWithTypeInfo(typeInfo, {
          Argument({ value }) {
            const argument: GraphQLArgument | null | undefined = typeInfo.getArgument()
            if (value.kind !== Kind.VARIABLE || !argument || typeInfo.getDirective()) return
            const parameter = defaults.get(value.name.value)
            if (parameter === undefined) return
            // If the route accepts a view, skip sort arguments: their defaults would override the order of the view.
            if (parameter.name.startsWith('sort') && defaults.has('view')) return
            expect([parameter.name, parameter.defaultValue]).toEqual([parameter.name, argument.defaultValue])
          },
        }),
      )
    })
  },
)
