import {
  assertValidSchema,
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  type FormattedExecutionResult,
  type GraphQLFieldResolver,
  type GraphQLFormattedError,
  type GraphQLSchema,
  getVariableValues,
  type OperationTypeNode,
  subscribe,
} from 'graphql'
import { type ApiError, type ErrorCode, errorCodes } from '../errors.ts'
import { limits as apiLimits } from '../limits.ts'
import { assertCompilable } from './compile.ts'
import { type AccountSize, createRowCounter, type RowCosts, type RowCount } from './cost/row-count.ts'
import { createDocumentCache, type DocumentFound, type KnownOperation } from './document-cache.ts'
import { formatApiError, formatBadRequest } from './error-mapping.ts'
import { type DocumentLimits, tooComplex } from './limits.ts'
import { type Arguments, argumentValues, createObjectCounter, type ListBounds, objectsIn } from './object-count.ts'
import { resolvePageMembers } from './page-members.ts'
import { deferItems, isPromise, settleLists } from './settle-lists.ts'

/** What a request asks for. */
export interface OperationRequest {
  readonly query: string
  readonly operationName?: string | null | undefined
  readonly variables?: Readonly<Record<string, unknown>> | null | undefined
}

/** A request that will not be executed. All its errors have one code; `status` is that of the code. */
export interface RefusedOperation {
  readonly ok: false
  readonly code: ErrorCode
  readonly status: number
  readonly errors: readonly GraphQLFormattedError[]
}

/** One field of the operation's root, as it will be called. */
export interface RootField {
  readonly name: string
  readonly responseKey: string
  readonly args: Arguments
}

/** An operation whose document and variables are good. */
export interface PreparedOperation {
  readonly ok: true
  /** What was asked for. */
  readonly request: OperationRequest
  readonly kind: OperationTypeNode
  /** The field of its root, by the schema; `several` where there are. */
  readonly name: string
  /** Selects only introspection and public fields, so that it needs no credentials. */
  readonly isPublic: boolean
  /** Objects that the answer could hold. */
  readonly objectCount: number
  /** Rows that this operation may read and not return, in an account of this size. */
  countRows(size: AccountSize): RowCount
  /** Objects that this operation's answer does hold. */
  objectsIn(data: unknown): number
  /** Root fields with their arguments, `__typename` apart: what a mutation will do. */
  rootFields(): RootField[]
  /** Runs a query or mutation. Errors in the result are as thrown: `formatResult` makes them fit to go out. */
  execute(input: { contextValue: unknown }): ExecutionResult | Promise<ExecutionResult>
  /** Starts a subscription. */
  subscribe(input: { contextValue: unknown }): Promise<AsyncGenerator<ExecutionResult, void, void> | ExecutionResult>
  /** The answer to an operation that is not allowed: the error at every root field, nothing run. */
  refuse(error: ApiError): FormattedExecutionResult
}

export interface Executor {
  readonly schema: GraphQLSchema
  prepare(request: OperationRequest): PreparedOperation | RefusedOperation
  /** Bytes that the cache of documents estimates itself to hold. */
  readonly cachedBytes: number
}

export interface ExecutorInput {
  /** Resolvers are put around its lists and into its pages (`settleLists`, `resolvePageMembers`). */
  readonly schema: GraphQLSchema
  /** Bytes for parsed, validated and compiled documents. */
  readonly cacheBytes?: number
  readonly listBounds: ListBounds
  readonly rowCosts: RowCosts
  /** Whether documents are compiled at their second use. */
  readonly jit: boolean
  /** Root fields that need no credentials. */
  readonly publicFields?: readonly string[]
  readonly limits?: Partial<DocumentLimits>
  /** Told of every document that is looked up. */
  readonly onDocument?: ((found: DocumentFound) => void) | undefined
}

const defaultLimits: DocumentLimits = {
  depth: apiLimits.queryDepth,
  introspectionDepth: apiLimits.introspectionDepth,
  aliasesPerField: apiLimits.aliasesPerField,
  tokens: apiLimits.documentTokens,
  objects: apiLimits.answerObjects,
  publicObjects: 50_000,
  selections: 20_000,
}

/** Makes what turns requests into answers, by this schema. See README.md for what resolvers must keep to. */
export function createExecutor(input: ExecutorInput): Executor {
  const { schema, cacheBytes = 64 * 1024 * 1024, publicFields = ['version'] } = input
  const limits = { ...defaultLimits, ...input.limits }
  assertValidSchema(schema)
  if (input.jit) assertCompilable(schema)
  resolvePageMembers(schema)
  settleLists(schema)
  const cache = createDocumentCache({
    schema,
    maxBytes: cacheBytes,
    limits,
    countObjects: createObjectCounter({ schema, listBounds: input.listBounds, maxPageSize: apiLimits.pageSize }),
    countRows: createRowCounter(schema, input.rowCosts),
    publicFields: new Set(publicFields),
    jit: input.jit,
    onDocument: input.onDocument ?? (() => {}),
  })
  return {
    schema,
    prepare(request) {
      const operation = cache.find(request.query, request.operationName || undefined)
      if ('errors' in operation) return refused(operation.errors)
      return prepareOperation({ schema, operation, request, limits })
    },
    get cachedBytes() {
      return cache.bytes
    },
  }
}

/** Errors of variables that an answer lists. */
const shownErrors = 10

function prepareOperation(input: {
  schema: GraphQLSchema
  operation: KnownOperation
  request: OperationRequest
  limits: DocumentLimits
}): PreparedOperation | RefusedOperation {
  const { schema, operation, request } = input
  const variables = request.variables ?? {}
  const { coerced, errors } = coerceVariables(schema, operation, variables)
  if (errors) return refused(errors.slice(0, shownErrors).map(formatBadRequest))
  const objectCount = Math.ceil(operation.countObjects(coerced))
  const maxObjects = operation.isPublic ? input.limits.publicObjects : input.limits.objects
  if (objectCount > maxObjects)
    return refused([formatApiError(tooComplex('the answer could hold too many objects', maxObjects, objectCount))])
  const argsFor = (contextValue: unknown): ExecutionArgs => ({
    schema,
    document: operation.document,
    operationName: operation.definition.name?.value ?? null,
    variableValues: variables,
    contextValue,
    fieldResolver: readMember,
  })
  let fields: RootField[] | undefined
  return {
    ok: true,
    request,
    kind: operation.definition.operation,
    name: operation.name,
    isPublic: operation.isPublic,
    objectCount,
    countRows: (size) => operation.countRows(coerced, size),
    objectsIn: (data) => objectsIn(data, operation.plan.root),
    rootFields() {
      fields ??= rootFields(operation, coerced)
      return fields
    },
    execute({ contextValue }) {
      const compiled = operation.compiled()
      return compiled ? compiled(contextValue, coerced) : execute(argsFor(contextValue))
    },
    subscribe: ({ contextValue }) => subscribe(argsFor(contextValue)) as ReturnType<PreparedOperation['subscribe']>,
    refuse: (error) => refuse(operation, error),
  }
}

const noVariables = { coerced: {}, errors: undefined }

function coerceVariables(schema: GraphQLSchema, { definition }: KnownOperation, variables: Arguments) {
  const { variableDefinitions = [] } = definition
  if (variableDefinitions.length === 0) return noVariables
  return getVariableValues(schema, variableDefinitions, variables, { maxErrors: shownErrors })
}

function refused(errors: readonly GraphQLFormattedError[]): RefusedOperation {
  const code = (errors[0]?.extensions?.code ?? 'BAD_USER_INPUT') as ErrorCode
  return { ok: false, code, status: errorCodes[code].status, errors }
}

/**
 * Fields without a resolver are members of their object, as they are to a compiled operation: nothing is called or awaited. It
 * says so here, at the first use, where a compiled operation would go on with a function.
 */
const readMember: GraphQLFieldResolver<unknown, unknown> = (source, _args, _context, info) => {
  const { fieldName, parentType, returnType } = info
  const value =
    typeof source === 'object' && source !== null ? (source as Record<string, unknown>)[fieldName] : undefined
  if (typeof value === 'function' || isPromise(value))
    throw new Error(`${parentType.name}.${fieldName} has no resolver, and its value is a function or promise`)
  return deferItems(value, returnType)
}

function rootFields({ plan }: KnownOperation, variables: Arguments): RootField[] {
  return plan.root.fields
    .filter(({ definition }) => !definition.name.startsWith('__'))
    .map((field) => ({
      name: field.definition.name,
      responseKey: field.key,
      args: argumentValues(field, variables) ?? {},
    }))
}

function refuse({ plan }: KnownOperation, error: ApiError): FormattedExecutionResult {
  const errors = plan.root.fields.map(({ key }) => ({ ...formatApiError(error), path: [key] }))
  return { errors, data: null }
}
