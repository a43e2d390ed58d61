import { type GraphQLObjectType, getArgumentValues, getNamedType } from 'graphql'
import type { Arguments } from '../cost/response-object-count.ts'
import type { PlannedField, SelectionPlan } from '../documents/selection-plan.ts'
import type { Json } from '../values/raw-json.ts'
import type { LeafField, RowWriters, WriteField } from './field-writer.ts'
import { JsonWriter } from './json-writer.ts'
import { WrittenItems } from './writing-outcome.ts'

type Row = readonly unknown[]

interface Execution {
  context: unknown
  variables: Arguments
}

export type WriteItems = (rows: readonly Row[], execution: Execution) => Promise<WrittenItems>

type Prepare = (
  rows: readonly Row[],
  execution: Execution & { addObjects: (count: number) => void },
) => WriteField<Row> | Promise<WriteField<Row>>

/** Returns a function that writes the items of a page as JSON, or undefined if a resolver must supply a field. */
export function compileItems({ definition, child }: PlannedField, writers: RowWriters): WriteItems | undefined {
  if (child === undefined) return undefined
  const { name } = getNamedType(definition.type) as GraphQLObjectType
  const prepared: Prepare[] = []
  for (const field of child.fields) {
    const prepare = compileField(field, name, writers)
    if (prepare === undefined) return undefined
    prepared.push(prepare)
  }
  const beginnings = child.fields.map(({ key }, index) => `${index === 0 ? '{' : ','}"${key}":`)
  return async (rows, execution) => {
    let objects = rows.length
    const addObjects = (count: number): void => {
      objects += count
    }
    const fields = await Promise.all(prepared.map((prepare) => prepare(rows, { ...execution, addObjects })))
    return new WrittenItems(writeItems(rows, beginnings, fields), objects)
  }
}

const jsonWriter = new JsonWriter()

function writeItems(rows: readonly Row[], beginnings: readonly string[], fields: readonly WriteField<Row>[]): Json {
  // If writing an earlier page failed, the writer still contains some of that page's JSON.
  jsonWriter.clear()
  jsonWriter.ascii('[')
  for (let index = 0; index < rows.length; index++) {
    if (index > 0) jsonWriter.ascii(',')
    for (let at = 0; at < fields.length; at++) {
      jsonWriter.ascii(beginnings[at]!)
      fields[at]!(jsonWriter, rows[index]!, index)
    }
    jsonWriter.ascii('}')
  }
  jsonWriter.ascii(']')
  return jsonWriter.take()
}

function compileField(field: PlannedField, typeName: string, writers: RowWriters): Prepare | undefined {
  const { definition, node, child } = field
  if (hasDirective(field)) return undefined
  if (definition.name === '__typename') return () => (writer) => writer.string(typeName)
  const writer = writers.fields[typeName]?.[definition.name]
  if (writer === undefined) return undefined
  if (typeof writer === 'function') return () => writer
  const below = child === undefined ? [] : leavesOf(child)
  const prepare = below && writer.compile(below)
  return (
    prepare &&
    ((rows, { context, variables, addObjects }) =>
      prepare({ rows, args: getArgumentValues(definition, node, variables), context, addObjects }))
  )
}

function leavesOf({ fields }: SelectionPlan): LeafField[] | undefined {
  const isLeaf = (field: PlannedField): boolean =>
    field.child === undefined && field.definition.args.length === 0 && !hasDirective(field)
  return fields.every(isLeaf) ? fields.map(({ key, definition }) => ({ key, name: definition.name })) : undefined
}

/** Checks for directives, because a skipped field must be absent from the response. */
const hasDirective = ({ nodes }: PlannedField): boolean => nodes.some(({ directives = [] }) => directives.length > 0)
