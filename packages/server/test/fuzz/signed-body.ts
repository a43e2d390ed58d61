import { signRequest } from '@muster/http-signature'
import type { TestApp, TestUser } from '../harness/app.ts'

export interface BodyResponse {
  status: number
  text: string
}

/** Signs a request and returns a function that sends it, so that a measured time does not include signing. */
export function prepareBody(
  { url: server }: Pick<TestApp, 'url'>,
  { keyId, secret }: Pick<TestUser, 'keyId' | 'secret'>,
  body: string | Buffer,
  { path = '/graphql/v1', method = 'POST', type = 'application/json' } = {},
): () => Promise<BodyResponse> {
  const url = `${server}${path}`
  const key = { algorithm: 'hmac-sha256' as const, secret: Buffer.from(secret, 'base64') }
  const headers = { 'content-type': type }
  const created = Math.floor(Date.now() / 1_000)
  const signature = signRequest({ keyId, key, method, url, headers, body, created })
  const accept = 'application/graphql-response+json, application/json'
  return async () => {
    const response = await fetch(url, { method, body, headers: { ...headers, ...signature, accept } })
    return { status: response.status, text: await response.text() }
  }
}
