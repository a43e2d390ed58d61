import { type SigningKey, signRequest } from '@muster/http-signature'
import type { Contestant } from '../environment/systems.ts'
import type { HttpRequest } from '../load/load.ts'

/** What a contestant is asked: JSON posted to a path. */
export interface Operation {
  path: string
  body: object
}

export interface AccessKey {
  keyId: string
  key: SigningKey
}

const paths: Partial<Record<Contestant, string>> = {
  server: '/graphql/v1',
  postgraphile: '/graphql',
  apollo: '/graphql',
}

/** A GraphQL operation for one that speaks it. */
export const graphql = (contestant: Contestant, query: string, variables: object = {}): Operation => ({
  path: paths[contestant]!,
  body: { query, variables },
})

/** The request as it is sent again and again; signed where there is a key, which holds for 300 seconds. */
export function toRequest(url: string, { path, body: content }: Operation, accessKey?: AccessKey): HttpRequest {
  const body = JSON.stringify(content)
  const headers = { 'content-type': 'application/json' }
  if (accessKey === undefined) return { method: 'POST', path, headers, body }
  const created = Math.floor(Date.now() / 1_000)
  const signature = signRequest({ ...accessKey, method: 'POST', url: new URL(path, url), headers, body, created })
  return { method: 'POST', path, headers: { ...headers, ...signature }, body }
}

/** Sends one request and returns what came back; throws for an error. */
export async function send(url: string, { path, ...request }: HttpRequest): Promise<unknown> {
  const response = await fetch(new URL(path, url), request)
  const text = await response.text()
  const answer = response.headers.get('content-type')?.includes('json') ? JSON.parse(text) : undefined
  if (!response.ok || answer === undefined || answer.errors !== undefined) {
    throw new Error(`${url}${path} answered ${response.status}: ${text.slice(0, 500)}`)
  }
  return answer
}
