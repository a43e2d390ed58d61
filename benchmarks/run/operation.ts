import { type SigningKey, signRequest } from '@muster/http-signature'
import type { System } from '../environment/systems.ts'
import type { HttpRequest } from '../load/load.ts'

export interface Operation {
  path: string
  body: object
}

export interface AccessKey {
  keyId: string
  key: SigningKey
}

const paths: Partial<Record<System, string>> = {
  server: '/graphql/v1',
  postgraphile: '/graphql',
  apollo: '/graphql',
}

export const graphql = (system: System, query: string, variables: object = {}): Operation => ({
  path: paths[system]!,
  body: { query, variables },
})

/** Builds a request that can be sent repeatedly. With an access key, adds a signature that is valid for 300 seconds. */
export function toRequest(url: string, { path, body: value }: Operation, accessKey?: AccessKey): HttpRequest {
  const body = JSON.stringify(value)
  const headers = { 'content-type': 'application/json' }
  if (accessKey === undefined) return { method: 'POST', path, headers, body }
  const created = Math.floor(Date.now() / 1_000)
  const signature = signRequest({ ...accessKey, method: 'POST', url: new URL(path, url), headers, body, created })
  return { method: 'POST', path, headers: { ...headers, ...signature }, body }
}

export async function send(url: string, { path, ...request }: HttpRequest): Promise<unknown> {
  const response = await fetch(new URL(path, url), request)
  const text = await response.text()
  const result = response.headers.get('content-type')?.includes('json') ? JSON.parse(text) : undefined
  if (!response.ok || result === undefined || result.errors !== undefined) {
    throw new Error(`${url}${path} responded with status ${response.status}: ${text.slice(0, 500)}`)
  }
  return result
}
