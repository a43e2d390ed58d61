import type { Fetcher, FetcherParams, Observable } from '@graphiql/toolkit'
import { type ExecutionResult, getOperationAST, type OperationDefinitionNode, parse } from 'graphql'
import { type Client, createClient } from 'graphql-sse'
import { api } from '../../src/app/paths.ts'
import { sessionHeaders } from '../../src/graphql/session-headers.ts'

/** Sends requests with the session, if there is one: subscriptions as a stream of events, all else as JSON. */
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

/** Nothing is sent before GraphiQL listens; it ends the stream by `unsubscribe`. */
const subscribe = (
  stream: Client,
  { query, operationName, variables }: FetcherParams,
): Observable<ExecutionResult> => ({
  subscribe(sink: Sink | ((value: ExecutionResult) => void) | undefined) {
    if (typeof sink !== 'object') throw new Error('results are handed to an object with next, error and complete')
    const request = { query, variables, ...(operationName == null ? {} : { operationName }) }
    const unsubscribe = stream.subscribe(request, {
      next: (result) => sink.next(result as ExecutionResult),
      complete: () => sink.complete(),
      error: (error) => void tell(sink, error),
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
 * The operation to run. GraphiQL learns a little late what another tab holds: the name that it gives counts only if the query
 * has it. What cannot be read goes to the server, which says what is wrong.
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
  const answer: unknown = await response.json().catch(() => undefined)
  if (typeof answer === 'object' && answer !== null) return answer
  throw new Error(`something other than Muster answered, with status ${response.status}`)
}

/** A stream that was refused before it began is shown with what the server said, not with the status alone. */
async function tell(sink: Sink, error: unknown): Promise<void> {
  const answer = await refusalOf(error)
  if (answer === undefined) return sink.error(error)
  sink.next(answer)
  sink.complete()
}

async function refusalOf(error: unknown): Promise<ExecutionResult | undefined> {
  if (typeof error !== 'object' || error === null || !('response' in error)) return
  if (!(error.response instanceof Response) || error.response.bodyUsed) return
  const answer: unknown = await error.response.json().catch(() => undefined)
  return typeof answer === 'object' && answer !== null ? answer : undefined
}
