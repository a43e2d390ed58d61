import { type SignRequestOptions, signRequest } from '@muster/http-signature'
import type { TestUser } from '../harness/app.ts'

export interface RestResponse {
  status: number
  headers: Headers
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: each test knows the shape of its responses
  body: any
  code: string | undefined
  message: string | undefined
}

export interface RestRequest {
  /** A value to send as JSON, or a string to send unchanged. */
  body?: unknown
  /** The body as bytes, instead of `body`. */
  bytes?: Buffer<ArrayBuffer>
  contentType?: string
  /** Overrides the options for signing. `url` changes only the URL that is signed, not the URL of the request. */
  signing?: Partial<SignRequestOptions>
  /** Headers that the client adds after signing. */
  unsignedHeaders?: Record<string, string>
}

export type RestClient = (method: string, path: string, request?: RestRequest) => Promise<RestResponse>

/** Returns a client that signs its requests. Paths are relative to /rest/v1. */
export function restClient(url: string, { keyId, secret }: Pick<TestUser, 'keyId' | 'secret'>): RestClient {
  const key = { algorithm: 'hmac-sha256', secret: Buffer.from(secret, 'base64') } as const
  return async (
    method,
    path,
    { body, bytes, contentType = 'application/json', signing = {}, unsignedHeaders = {} } = {},
  ) => {
    const target = `${url}/rest/v1${path}`
    const sent = bytes ?? (body === undefined ? undefined : serialize(body))
    const headers: Record<string, string> = sent === undefined ? {} : { 'content-type': contentType }
    const created = Math.floor(Date.now() / 1_000)
    const added = signRequest({ keyId, key, method, url: target, headers, body: sent, created, ...signing })
    return send(target, {
      method,
      headers: { ...headers, ...added, ...unsignedHeaders },
      ...(sent !== undefined && { body: sent }),
    })
  }
}

const serialize = (body: unknown): string => (typeof body === 'string' ? body : JSON.stringify(body))

export async function send(target: string, init: RequestInit = {}): Promise<RestResponse> {
  const response = await fetch(target, init)
  const text = await response.text()
  const isJson = text !== '' && response.headers.get('content-type')?.startsWith('application/json')
  const body = isJson ? JSON.parse(text) : undefined
  const [error] = body?.errors ?? []
  const { status, headers } = response
  return { status, headers, text, body, code: error?.extensions?.code, message: error?.message }
}
