import { argumentsOf, nameOf, plainFields, typeOf } from '../schema/default-fields.ts'
import { schemaTable } from '../schema/table.generated.ts'

export interface BuiltDocument {
  document: string
  variables: Record<string, unknown>
}

type Root = 'Query' | 'Mutation' | 'Subscription'

/**
 * Builds a document from a selection. Arguments become variables, so selections that differ only in argument values
 * produce the same document, which the server can cache. Throws TypeError for an invalid selection, for example one
 * with a field or an argument that the schema does not define.
 */
export function buildDocument(root: Root, selection: object): BuiltDocument {
  const declared: string[] = []
  const variables: Record<string, unknown> = {}
  const declare = (type: string, value: unknown): string => {
    const name = `v${declared.length}`
    declared.push(`$${name}: ${type}`)
    variables[name] = value
    return `$${name}`
  }
  const fields = writeSelection(root, selection, declare)
  const head = declared.length === 0 ? '' : `(${declared.join(', ')})`
  return { document: `${root.toLowerCase()}${head} ${fields}`, variables }
}

export function plainSelection(typeName: string): Record<string, unknown> {
  const fields = plainFields(schemaTable, typeName).map((name): [string, unknown] => {
    const target = nameOf(typeOf(schemaTable[typeName]![name]!))
    return [name, target in schemaTable ? plainSelection(target) : true]
  })
  return Object.fromEntries(fields)
}

type Declare = (type: string, value: unknown) => string

function writeSelection(typeName: string, selection: object, declare: Declare): string {
  const members = Object.entries(selection).filter(([name, value]) => name !== '$' && value !== undefined)
  if (members.length === 0) throw new TypeError(`select at least one field of ${typeName}`)
  return `{ ${members.map(([name, value]) => writeField(typeName, name, value, declare)).join(' ')} }`
}

function writeField(typeName: string, key: string, selection: unknown, declare: Declare): string {
  const [, alias = '', name = ''] = /^(?:([_A-Za-z]\w*): )?([_A-Za-z]\w*)$/.exec(key) ?? []
  const fields = schemaTable[typeName]!
  const entry = Object.hasOwn(fields, name) ? fields[name] : undefined
  if (entry === undefined) throw new TypeError(`${typeName} has no field ${JSON.stringify(key)}`)
  const target = nameOf(typeOf(entry))
  const isObject = typeof selection === 'object' && selection !== null
  if (!isObject && selection !== true)
    throw new TypeError(`the selection of ${typeName}.${name} must be true or an object`)
  const given = isObject && '$' in selection ? (selection.$ as object | undefined) : undefined
  const written = writeArguments(`${typeName}.${name}`, argumentsOf(entry), given ?? {}, declare)
  const below = target in schemaTable ? ` ${writeSelection(target, isObject ? selection : {}, declare)}` : ''
  return `${alias === '' ? '' : `${alias}: `}${name}${written}${below}`
}

function writeArguments(
  field: string,
  types: Readonly<Record<string, string>>,
  given: object,
  declare: Declare,
): string {
  const written = Object.entries(given)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => {
      if (!Object.hasOwn(types, name)) throw new TypeError(`${field} has no argument ${JSON.stringify(name)}`)
      return `${name}: ${declare(types[name]!, value)}`
    })
  return written.length === 0 ? '' : `(${written.join(', ')})`
}
