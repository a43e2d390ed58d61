import {
  type DocumentNode,
  type FieldNode,
  type GraphQLFieldMap,
  type GraphQLFieldResolver,
  GraphQLList,
  type GraphQLNamedType,
  GraphQLNonNull,
  type GraphQLObjectType,
  type GraphQLOutputType,
  GraphQLScalarType,
  type GraphQLSchema,
  isListType,
  isNonNullType,
  isObjectType,
  type OperationDefinitionNode,
} from 'graphql'
import { ApiError } from '../../errors.ts'
import type { Arguments } from '../cost/response-object-count.ts'
import { fragmentsOf, planOperation } from '../documents/selection-plan.ts'
import type { RowWriters } from './field-writer.ts'
import { compileItems, type WriteItems } from './page-item-writer.ts'
import { WritingError } from './writing-outcome.ts'

/** The functions that write the items of pages, keyed by the first node that selects the items. */
export type WrittenPages = ReadonlyMap<FieldNode, WriteItems>

/**
 * Returns undefined if the operation is not a query or selects no items of the page types in `writers.pages`. Also
 * returns undefined if it selects items that cannot be written. `operation` must be an operation of `document`.
 */
export function planWrittenPages(input: {
  schema: GraphQLSchema
  document: DocumentNode
  operation: OperationDefinitionNode
  writers: RowWriters
}): WrittenPages | undefined {
  const { schema, document, operation, writers } = input
  if (operation.operation !== 'query') return undefined
  const fragments = fragmentsOf(document)
  const plan = planOperation({ schema, operation, fragments, maxSelections: Number.POSITIVE_INFINITY })
  const written = new Map<FieldNode, WriteItems>()
  for (const { fields } of plan.postOrder)
    for (const field of fields) {
      if (field.definition.name !== 'items' || !writers.pages.has(field.parentType.name)) continue
      const writeItems = compileItems(field, writers)
      // A fragment that is spread in several places has one node for all of them. Because each place may add other
      // selections, one function per node is not enough.
      if (writeItems === undefined || written.has(field.node)) return undefined
      written.set(field.node, writeItems)
    }
  return written.size === 0 ? undefined : written
}

export const infoOfPage = (written: WrittenPages, node: FieldNode | undefined): { writeItems?: WriteItems } => {
  const writeItems = node && written.get(node)
  return writeItems === undefined ? {} : { writeItems }
}

const leaf = new GraphQLNonNull(new GraphQLScalarType({ name: 'WrittenItems' }))

const resolveItems: GraphQLFieldResolver<{ rows: readonly never[] }, unknown> = (page, _args, context, info) => {
  const { writeItems, variableValues } = info as typeof info & { writeItems: WriteItems }
  return writeItems(page.rows, { context, variables: variableValues as Arguments }).catch((error: unknown) => {
    throw isLimitError(error) ? error : new WritingError(error)
  })
}

/** Checks whether writing failed because of a limit, which a second run of the operation would exceed again. */
const isLimitError = (error: unknown): boolean =>
  error instanceof ApiError && ['LIMIT_EXCEEDED', 'RATE_LIMITED', 'UNAVAILABLE'].includes(error.code)

const schemaViews = new WeakMap<GraphQLSchema, GraphQLSchema>()

/** Returns a view of the schema for the compiler. In this view, `items` of each page type is a leaf with raw JSON. */
export function withWrittenPages(schema: GraphQLSchema, pages: ReadonlySet<string>): GraphQLSchema {
  const known = schemaViews.get(schema)
  if (known !== undefined) return known
  const view = createView(schema, pages)
  schemaViews.set(schema, view)
  return view
}

function createView(schema: GraphQLSchema, pages: ReadonlySet<string>): GraphQLSchema {
  const views = new Map<GraphQLObjectType, GraphQLObjectType>()

  const viewOf = <Type extends GraphQLOutputType | GraphQLNamedType>(type: Type): Type => {
    if (isNonNullType(type)) return new GraphQLNonNull(viewOf(type.ofType)) as GraphQLOutputType as Type
    if (isListType(type)) return new GraphQLList(viewOf(type.ofType as GraphQLOutputType)) as GraphQLOutputType as Type
    return (isObjectType(type) ? viewOfObject(type) : type) as Type
  }

  const viewOfObject = (type: GraphQLObjectType): GraphQLObjectType => {
    const known = views.get(type)
    if (known !== undefined) return known
    let fields: GraphQLFieldMap<unknown, unknown> | undefined
    const getFields = (): GraphQLFieldMap<unknown, unknown> => {
      fields ??= Object.fromEntries(
        Object.values(type.getFields()).map((field) => [
          field.name,
          field.name === 'items' && pages.has(type.name)
            ? { ...field, type: leaf, resolve: resolveItems as typeof field.resolve }
            : { ...field, type: viewOf(field.type) },
        ]),
      ) as GraphQLFieldMap<unknown, unknown>
      return fields
    }
    const view = Object.create(type, { getFields: { value: getFields } }) as GraphQLObjectType
    views.set(type, view)
    return view
  }

  return Object.create(schema, {
    getQueryType: { value: () => viewOf(schema.getQueryType()!) },
    getType: { value: (name: string) => viewOf(schema.getType(name)!) },
  }) as GraphQLSchema
}
