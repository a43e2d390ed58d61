import { type Effect, effectOf } from '../documents/effect-of-document.ts'
import type { Sign } from '../sign/signer-from-credentials.ts'
import type { CallOptions } from '../types.ts'

export interface Transport {
  /** URL of the GraphQL API. Subscriptions use `/stream` below this URL. */
  endpoint: string
  sign: Sign
  /** Timeout of one attempt, in milliseconds. */
  timeout: number
  retries: number
  fetch: typeof fetch
}

export interface Operation {
  document: string
  variables?: Readonly<Record<string, unknown>> | undefined
  operationName?: string | undefined
  headers?: Readonly<Record<string, string>> | undefined
}

export function effectOfCall({ document, operationName }: Operation, { idempotent }: CallOptions): Effect {
  const effect = effectOf(document, operationName)
  if (effect === 'none' || idempotent === undefined || (idempotent && effect === 'creates')) return effect
  return idempotent ? 'idempotent' : 'once'
}

export async function prepareRequest(
  { sign }: Transport,
  url: string,
  { document, variables, operationName, headers: more }: Operation,
  accept = 'application/graphql-response+json, application/json;q=0.9',
): Promise<{ method: string; headers: Record<string, string>; body: string; redirect: 'manual' }> {
  const body = JSON.stringify({ query: document, variables, operationName })
  const headers = { 'Content-Type': 'application/json', Accept: accept, ...more }
  const signature = await sign({ method: 'POST', url, headers, body })
  // Do not follow redirects, because the signature is not valid for another URL.
  return { method: 'POST', headers: { ...headers, ...signature }, body, redirect: 'manual' }
}
