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
import {
  createNeedsReader,
  type DocumentNeeds,
  type FieldRules,
  type IsOpenToRestricted,
} from './access/needed-permissions.ts'
import { withoutOwnChanges } from './access/own-changes.ts'
import {
  type Arguments,
  argumentValues,
  createObjectCounter,
  type ListBounds,
  objectsIn,
} from './cost/response-object-count.ts'
import {
  type AccountSize,
  countNoRows,
  createRowCounter,
  type RowCosts,
  type RowCount,
} from './cost/scanned-row-estimate.ts'
import { assertCompilable } from './documents/compile.ts'
import { createDocumentCache, type DocumentFound, type KnownOperation } from './documents/document-cache.ts'
import { type DocumentLimits, tooComplex } from './documents/limits.ts'
import type { PlannedField, SelectionPlan } from './documents/selection-plan.ts'
import { formatApiError, formatBadRequest } from './error-mapping.ts'
import { resolvePageMembers } from './lists/lazy-page-fields.ts'
import { adaptListResults, deferItems, isPromise } from './lists/list-results.ts'
import type { RowWriters } from './written/field-writer.ts'

export interface OperationRequest {
  readonly query: string
  readonly operationName?: string | null | undefined
  readonly variables?: Readonly<Record<string, unknown>> | null | undefined
}

/** A rejected request. All its errors have the same code, and `status` is the HTTP status for that code. */
export interface RejectedOperation {
  readonly ok: false
  readonly code: ErrorCode
  readonly status: number
  readonly errors: readonly GraphQLFormattedError[]
}

/** A root field of the operation, with coerced arguments. */
export interface RootField {
  readonly name: string
  readonly responseKey: string
  readonly args: Arguments
}

export interface PreparedOperation extends Pick<KnownOperation, 'name' | 'label' | 'isPublic'> {
  readonly ok: true
  readonly request: OperationRequest
  readonly kind: OperationTypeNode
  readonly objectCount: number
  readonly mayReadRows: boolean
  countRows(size: AccountSize): RowCount
  needs(): DocumentNeeds
  objectsIn(data: unknown): number
  /** Returns the root fields, without introspection fields. */
  rootFields(): RootField[]
  /** Returns the type and name of the field at a response path, such as `Device.events`. Undefined if none exists. */
  fieldAt(path: readonly (string | number)[]): string | undefined
  /** Runs a query or mutation. `formatResult` converts the result to a response. */
  execute(input: { contextValue: unknown }): ExecutionResult | Promise<ExecutionResult>
  subscribe(input: { contextValue: unknown }): Promise<AsyncGenerator<ExecutionResult, void, void> | ExecutionResult>
  /** Returns a response with null data and with this error for every root field. Runs no resolver. */
  reject(error: ApiError): FormattedExecutionResult
}

export interface NeedsOptions {
  /** Whether the document's defaults apply to missing variables, as they do when the document runs. */
  readonly hasDefaults?: boolean
  /** Returns whether a mutation changes only the caller's own data, and so needs no permission. */
  readonly isOwnChange?: (mutation: RootField) => boolean
}

export interface Executor {
  readonly schema: GraphQLSchema
  prepare(request: OperationRequest): PreparedOperation | RejectedOperation
  /**
   * Returns the permissions that a document needs, or the errors of an invalid document. Does not run the document, so
   * variables may be missing.
   */
  needsOf(request: OperationRequest, options?: NeedsOptions): DocumentNeeds | RejectedOperation
  readonly cachedBytes: number
}

export interface ExecutorInput {
  /** The executor modifies the schema in place: `resolvePageMembers` and `adaptListResults` add and wrap resolvers. */
  readonly schema: GraphQLSchema
  readonly cacheBytes?: number
  readonly listBounds: ListBounds
  readonly rowCosts: RowCosts
  /** If omitted, no field needs a permission. */
  readonly fieldRules?: FieldRules
  /** If omitted, restricted callers can select no field. */
  readonly isOpenToRestricted?: IsOpenToRestricted
  /** Whether the executor compiles operations at their second use (see `reasonNotToCompile`). */
  readonly jit: boolean
  readonly publicFields?: readonly string[]
  /** The fields that compiled operations write directly from database rows. If omitted, all fields are resolved. */
  readonly writers?: RowWriters
  readonly limits?: Partial<DocumentLimits>
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

/** The README.md of this folder lists the rules for resolvers. */
export function createExecutor(input: ExecutorInput): Executor {
  const { schema, cacheBytes = 64 * 1024 * 1024, publicFields = ['version'] } = input
  const limits = { ...defaultLimits, ...input.limits }
  assertValidSchema(schema)
  if (input.jit) assertCompilable(schema)
  resolvePageMembers(schema)
  adaptListResults(schema)
  const cache = createDocumentCache({
    schema,
    maxBytes: cacheBytes,
    limits,
    countObjects: createObjectCounter({ schema, listBounds: input.listBounds, maxPageSize: apiLimits.pageSize }),
    countRows: createRowCounter(schema, input.rowCosts),
    readNeeds: createNeedsReader(schema, {
      rules: input.fieldRules ?? (() => []),
      isOpen: input.isOpenToRestricted ?? (() => false),
    }),
    publicFields: new Set(publicFields),
    writers: input.writers ?? { pages: new Set(), fields: {} },
    jit: input.jit,
    onDocument: input.onDocument ?? (() => {}),
  })
  return {
    schema,
    prepare(request) {
      const operation = cache.find(request.query, request.operationName || undefined)
      if ('errors' in operation) return rejected(operation.errors)
      return prepareOperation({ schema, operation, request, limits })
    },
    needsOf({ query, operationName, variables }, { hasDefaults = false, isOwnChange } = {}) {
      const operation = cache.find(query, operationName || undefined)
      if ('errors' in operation) return rejected(operation.errors)
      const given = variables ?? {}
      const { coerced } = hasDefaults ? coerceVariables(schema, operation, given) : {}
      const args = coerced ?? given
      const needs = operation.needs(args)
      return isOwnChange === undefined ? needs : withoutOwnChanges(needs, rootFields(operation, args), isOwnChange)
    },
    get cachedBytes() {
      return cache.bytes
    },
  }
}

const maxErrors = 10

function prepareOperation(input: {
  schema: GraphQLSchema
  operation: KnownOperation
  request: OperationRequest
  limits: DocumentLimits
}): PreparedOperation | RejectedOperation {
  const { schema, operation, request } = input
  const variables = request.variables ?? {}
  const { coerced, errors } = coerceVariables(schema, operation, variables)
  if (errors) return rejected(errors.slice(0, maxErrors).map(formatBadRequest))
  const objectCount = Math.ceil(operation.countObjects(coerced))
  const maxObjects = operation.isPublic ? input.limits.publicObjects : input.limits.objects
  if (objectCount > maxObjects)
    return rejected([
      formatApiError(tooComplex('the response could contain too many objects', maxObjects, objectCount)),
    ])
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
    label: operation.label,
    isPublic: operation.isPublic,
    objectCount,
    mayReadRows: operation.countRows !== countNoRows,
    countRows: (size) => operation.countRows(coerced, size),
    needs: () => operation.needs(coerced),
    objectsIn: (data) => objectsIn(data, operation.plan.root),
    rootFields: () => (fields ??= rootFields(operation, coerced)),
    fieldAt: (path) => fieldAt(operation, path),
    execute({ contextValue }) {
      const compiled = operation.compiled()
      return compiled ? compiled(contextValue, coerced) : execute(argsFor(contextValue))
    },
    subscribe: ({ contextValue }) => subscribe(argsFor(contextValue)) as ReturnType<PreparedOperation['subscribe']>,
    reject: (error) => rejectFields(operation, error),
  }
}

const noVariables = { coerced: {}, errors: undefined }

function coerceVariables(schema: GraphQLSchema, { definition }: KnownOperation, variables: Arguments) {
  const { variableDefinitions = [] } = definition
  if (variableDefinitions.length === 0) return noVariables
  return getVariableValues(schema, variableDefinitions, variables, { maxErrors })
}

function rejected(errors: readonly GraphQLFormattedError[]): RejectedOperation {
  const code = (errors[0]?.extensions?.code ?? 'BAD_USER_INPUT') as ErrorCode
  return { ok: false, code, status: errorCodes[code].status, errors }
}

/**
 * Reads a field without a resolver as a plain member of its object, because compiled operations do. Throws if the
 * member is a function or a promise, which a compiled operation would neither call nor await.
 */
const readMember: GraphQLFieldResolver<unknown, unknown> = (source, _args, _context, info) => {
  const { fieldName, parentType, returnType } = info
  const value =
    typeof source === 'object' && source !== null ? (source as Record<string, unknown>)[fieldName] : undefined
  if (typeof value === 'function' || isPromise(value))
    throw new Error(
      `${parentType.name}.${fieldName} has no resolver, but its value is a function or promise: add a resolver`,
    )
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

function fieldAt({ plan }: KnownOperation, path: readonly (string | number)[]): string | undefined {
  let selection: SelectionPlan | undefined = plan.root
  let field: PlannedField | undefined
  for (const key of path) {
    if (typeof key === 'number') continue
    field = selection?.fields.find((each) => each.key === key)
    selection = field?.child
  }
  return field && `${field.parentType.name}.${field.definition.name}`
}

function rejectFields({ plan }: KnownOperation, error: ApiError): FormattedExecutionResult {
  const errors = plan.root.fields.map(({ key }) => ({ ...formatApiError(error), path: [key] }))
  return { errors, data: null }
}
