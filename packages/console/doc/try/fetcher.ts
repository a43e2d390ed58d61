import type { Fetcher, FetcherParams, Observable } from '@graphiql/toolkit'
import { type ExecutionResult, getOperationAST, type OperationDefinitionNode, parse } from 'graphql'
import { type Client, createClient } from 'graphql-sse'
import { api } from '../../src/app/paths.ts'
import { sessionHeaders } from '../../src/graphql/session-headers.ts'

export function createFetcher(): Fetcher {
  const stream = createClient({
    url: api.stream,
    credentials: 'same-origin',
    headers: sessionHeaders,
    retryAttempts: 0,
  })
  return (params) => {
    const operation = readOperation(params)
    const request = { ...params, operationName: operation?.name?.value ?? params.operationName ?? null }
    return operation?.operation === 'subscription' ? subscribe(stream, request) : post(request)
  }
}

const subscribe = (
  stream: Client,
  { query, operationName, variables }: FetcherParams,
): Observable<ExecutionResult> => ({
  subscribe(sink: Sink | ((value: ExecutionResult) => void) | undefined) {
    if (typeof sink !== 'object')
      throw new Error('the observer must be an object with the methods next, error, and complete')
    const request = { query, variables, ...(operationName == null ? {} : { operationName }) }
    const unsubscribe = stream.subscribe(request, {
      next: (result) => sink.next(result as ExecutionResult),
      complete: () => sink.complete(),
      error: (error) => void reportError(sink, error),
    })
    return { unsubscribe }
  },
})

interface Sink {
  next(value: ExecutionResult): void
  error(error: unknown): void
  complete(): void
}

/**
 * Returns the operation with the given name. If the query contains only one operation, ignores the name. After the user
 * changes tabs, GraphiQL can briefly pass the name from the previous tab. Returns null if the query is invalid or
 * contains no such operation.
 */
function readOperation({ query, operationName }: FetcherParams): OperationDefinitionNode | null {
  try {
    const document = parse(query)
    return getOperationAST(document, operationName) ?? getOperationAST(document) ?? null
  } catch {
    return null
  }
}

async function post({ query, operationName, variables }: FetcherParams): Promise<ExecutionResult> {
  const response = await fetch(api.graphql, {
    method: 'POST',
    credentials: 'same-origin',
    headers: {
      ...sessionHeaders,
      'content-type': 'application/json',
      accept: 'application/graphql-response+json, application/json',
    },
    body: JSON.stringify({ query, operationName, variables }),
  })
  const result: unknown = await response.json().catch(() => undefined)
  if (typeof result === 'object' && result !== null) return result
  throw new Error(
    `the response with status ${response.status} is not from Muster: check any proxy in front of the server`,
  )
}

/** If the server rejected the stream with a JSON body, shows the body instead of only the status. */
async function reportError(sink: Sink, error: unknown): Promise<void> {
  const result = await rejectionOf(error)
  if (result === undefined) return sink.error(error)
  sink.next(result)
  sink.complete()
}

async function rejectionOf(error: unknown): Promise<ExecutionResult | undefined> {
  if (typeof error !== 'object' || error === null || !('response' in error)) return
  if (!(error.response instanceof Response) || error.response.bodyUsed) return
  const result: unknown = await error.response.json().catch(() => undefined)
  return typeof result === 'object' && result !== null ? result : undefined
}
