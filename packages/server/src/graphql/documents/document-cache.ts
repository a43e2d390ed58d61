import {
  type DocumentNode,
  GraphQLError,
  type GraphQLFormattedError,
  type GraphQLSchema,
  getOperationAST,
  Kind,
  type OperationDefinitionNode,
} from 'graphql'
import { ApiError } from '../../errors.ts'
import type { NeedsInput, OperationNeeds } from '../access/needed-permissions.ts'
import type { ObjectCount } from '../cost/response-object-count.ts'
import type { CountRows } from '../cost/scanned-row-estimate.ts'
import { formatBadRequest } from '../error-mapping.ts'
import type { RowWriters } from '../written/field-writer.ts'
import { createByteCache } from './byte-cache.ts'
import { type CompiledOperation, compileOperation } from './compile.ts'
import { assertDocumentLimits, type DocumentLimits, isIntrospectionField, tooComplex } from './limits.ts'
import { readDocument } from './read-document.ts'
import { reasonNotToCompile } from './reason-not-to-compile.ts'
import { fragmentsOf, type OperationPlan, planOperation, TooManySelections } from './selection-plan.ts'

export interface KnownOperation {
  readonly document: DocumentNode
  readonly definition: OperationDefinitionNode
  readonly plan: OperationPlan
  /**
   * The name of the operation's root field (not its alias), or `several` if the operation selects different root
   * fields. `__typename` counts only if it is the only root field.
   */
  readonly name: string
  /**
   * The operation's name in the document or, if the operation has no name, the names of its root fields, separated by
   * commas. A label of more than 100 characters is truncated and ends with `…`.
   */
  readonly label: string
  /** Whether the operation selects only introspection fields and fields that require no credentials. */
  readonly isPublic: boolean
  readonly countObjects: ObjectCount
  readonly countRows: CountRows
  readonly needs: OperationNeeds
  /** Returns undefined on the first call, and on every call if the operation is not compiled. */
  compiled(): CompiledOperation | undefined
}

/** The result of a document lookup: cached and valid (`known`), new and valid (`new`), or rejected (`refused`). */
export type DocumentFound = 'known' | 'new' | 'refused'

export interface RejectedDocument {
  readonly errors: readonly GraphQLFormattedError[]
}

export interface DocumentCache {
  find(text: string, operationName: string | undefined): KnownOperation | RejectedDocument
  /** The estimated size of the cache, in bytes. */
  readonly bytes: number
}

export interface DocumentCacheInput {
  readonly schema: GraphQLSchema
  /**
   * The capacity, in bytes, for valid documents. Documents that fail to parse or validate have a separate cache with an
   * eighth of this capacity, so they never evict valid documents.
   */
  readonly maxBytes: number
  readonly limits: DocumentLimits
  readonly countObjects: (plan: OperationPlan) => ObjectCount
  readonly countRows: (plan: OperationPlan) => CountRows
  readonly readNeeds: (input: NeedsInput) => OperationNeeds
  readonly publicFields: ReadonlySet<string>
  readonly writers: RowWriters
  readonly jit: boolean
  readonly onDocument: (found: DocumentFound) => void
}

interface KnownDocument {
  readonly document: DocumentNode
  readonly operations: Map<OperationDefinitionNode, KnownOperation | RejectedDocument>
  bytes: number
}

/** Measured bytes per parsed token, planned selection, and compiled selection, rounded up. */
const bytesPer = { token: 400, planned: 300, compiled: 1_000 }

const maxCachedLength = 64 * 1024

export function createDocumentCache(input: DocumentCacheInput): DocumentCache {
  const known = createByteCache<KnownDocument>(input.maxBytes)
  const rejected = createByteCache<RejectedDocument>(input.maxBytes / 8)

  function findDocument(text: string): KnownDocument | RejectedDocument {
    const found = known.get(text) ?? rejected.get(text)
    if (found) {
      input.onDocument('errors' in found ? 'refused' : 'known')
      return found
    }
    const read = knownDocument(text, input)
    input.onDocument('errors' in read ? 'refused' : 'new')
    // Most documents are only a few kilobytes long, and a document above the maximum length would evict many others.
    if (text.length > maxCachedLength) return read
    if ('errors' in read) rejected.set(text, read, 2 * text.length + sizeOf(read))
    else known.set(text, read, read.bytes)
    return read
  }

  function findOperation(text: string, entry: KnownDocument, definition: OperationDefinitionNode) {
    const found = entry.operations.get(definition)
    if (found) return found
    const grow = (bytes: number): void => {
      entry.bytes += bytes
      if (text.length > maxCachedLength) return
      known.set(text, entry, entry.bytes)
    }
    const operation = readOperation({ ...input, document: entry.document, definition, grow })
    entry.operations.set(definition, operation)
    grow('errors' in operation ? sizeOf(operation) : operation.plan.selections * bytesPer.planned)
    return operation
  }

  return {
    find(text, operationName) {
      const entry = findDocument(text)
      if ('errors' in entry) return entry
      const definition = getOperationAST(entry.document, operationName)
      if (!definition) return { errors: [formatBadRequest(unknownOperation(entry.document, operationName))] }
      return findOperation(text, entry, definition)
    },
    get bytes() {
      return known.bytes + rejected.bytes
    },
  }
}

const sizeOf = (rejected: RejectedDocument): number => 200 + 2 * JSON.stringify(rejected).length

function knownDocument(text: string, { schema, limits }: DocumentCacheInput): KnownDocument | RejectedDocument {
  try {
    const { document, tokens, errors } = readDocument(text, { schema, maxTokens: limits.tokens })
    if (errors.length > 0) return { errors: errors.map(formatBadRequest) }
    return { document, operations: new Map(), bytes: 2 * text.length + tokens * bytesPer.token }
  } catch (error) {
    return rejectedDocument(error)
  }
}

function readOperation(
  input: DocumentCacheInput & {
    document: DocumentNode
    definition: OperationDefinitionNode
    grow: (bytes: number) => void
  },
): KnownOperation | RejectedDocument {
  const { schema, document, definition, limits } = input
  try {
    const fragments = fragmentsOf(document)
    const plan = planOperation({ schema, operation: definition, fragments, maxSelections: limits.selections })
    assertDocumentLimits(plan, limits)
    const rootFields = rootFieldsOf(plan)
    return {
      document,
      definition,
      plan,
      name: rootFields.length > 1 ? 'several' : rootFields[0]!,
      label: clipped(definition.name?.value ?? rootFields.join(', ')),
      isPublic: plan.root.fields.every(
        (field) => isIntrospectionField(field) || input.publicFields.has(field.definition.name),
      ),
      countObjects: input.countObjects(plan),
      countRows: input.countRows(plan),
      needs: input.readNeeds({ operation: definition, fragments }),
      compiled: input.jit ? compiledAtSecondUse({ ...input, plan }) : () => undefined,
    }
  } catch (error) {
    if (error instanceof TooManySelections)
      return rejectedDocument(
        tooComplex('fragments expand to too many selections', limits.selections, limits.selections + 1),
      )
    return rejectedDocument(error)
  }
}

function rootFieldsOf({ root }: OperationPlan): string[] {
  const names = new Set(root.fields.map(({ definition }) => definition.name))
  if (names.size > 1) names.delete('__typename')
  return names.size === 0 ? ['__typename'] : [...names]
}

const MAX_LABEL_LENGTH = 100

const clipped = (label: string): string =>
  label.length > MAX_LABEL_LENGTH ? `${label.slice(0, MAX_LABEL_LENGTH)}…` : label

function compiledAtSecondUse(input: {
  schema: GraphQLSchema
  document: DocumentNode
  definition: OperationDefinitionNode
  plan: OperationPlan
  writers: RowWriters
  grow: (bytes: number) => void
}): () => CompiledOperation | undefined {
  const { schema, document, definition: operation, plan, writers } = input
  let uses = 0
  let compiled: CompiledOperation | undefined
  return () => {
    uses += 1
    if (uses !== 2 || reasonNotToCompile({ document, operation, plan })) return compiled
    compiled = compileOperation({ schema, document, operation, plan, writers })
    input.grow(plan.selections * bytesPer.compiled)
    return compiled
  }
}

function unknownOperation(document: DocumentNode, operationName: string | undefined): GraphQLError {
  const count = document.definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION).length
  if (count === 0) return new GraphQLError('the document has no operation: add a query, mutation, or subscription')
  return new GraphQLError(
    operationName === undefined || operationName === ''
      ? `the document has ${count} operations; select one with operationName`
      : `the document has no operation named ${JSON.stringify(operationName)}; set operationName to the name of one of its operations, or omit it if there is only one`,
  )
}

function rejectedDocument(error: unknown): RejectedDocument {
  if (error instanceof ApiError || error instanceof GraphQLError) return { errors: [formatBadRequest(error)] }
  throw error
}
