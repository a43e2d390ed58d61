import {
  type GraphQLArgument,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
} from 'graphql'

/**
 * Returns the average lengths of introspection lists. The object count of a full introspection is then close to the
 * number of objects in its response.
 */
export function introspectionBounds(schema: GraphQLSchema): Record<string, number> {
  const types = Object.values(schema.getTypeMap())
  const withFields = types.filter((type) => isObjectType(type) || isInterfaceType(type))
  const fields = withFields.flatMap((type) => Object.values(type.getFields()))
  const inputFields = types.filter(isInputObjectType).flatMap((type) => Object.values(type.getFields()))
  const values = types.filter(isEnumType).flatMap((type) => type.getValues())
  const interfaces = withFields.flatMap((type) => type.getInterfaces())
  const directives = schema.getDirectives()
  const argsOf = ({ args }: { args: readonly GraphQLArgument[] }): readonly GraphQLArgument[] => args
  const average = (items: readonly unknown[], among: readonly unknown[]): number =>
    items.length / Math.max(among.length, 1)
  return {
    '__Schema.types': types.length,
    '__Schema.directives': directives.length,
    '__Type.fields': average(fields, types),
    '__Type.interfaces': average(interfaces, types),
    '__Type.possibleTypes': average(interfaces, types),
    '__Type.enumValues': average(values, types),
    '__Type.inputFields': average(inputFields, types),
    '__Field.args': average(fields.flatMap(argsOf), fields),
    '__Directive.args': average(directives.flatMap(argsOf), directives),
  }
}
