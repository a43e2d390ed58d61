import { type SignRequestOptions, signRequest } from '@muster/http-signature'
import type { TestUser } from '../harness/app.ts'

export interface RestResponse {
  status: number
  headers: Headers
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: each test knows the shape of its responses
  body: any
  /** The code and message of the first error. */
  code: string | undefined
  message: string | undefined
}

export interface RestRequest {
  /** Sent as JSON, or unchanged if it is a string. */
  body?: unknown
  /** The body as bytes, instead of `body`. */
  bytes?: Buffer<ArrayBuffer>
  contentType?: string
  /** Changes the signature. `url` is the signed URL, not the target. */
  signing?: Partial<SignRequestOptions>
  /** Headers that are added after the request is signed. */
  unsignedHeaders?: Record<string, string>
}

export type RestClient = (method: string, path: string, request?: RestRequest) => Promise<RestResponse>

/** Sends signed requests to the REST API of a server. The paths are below /rest/v1. */
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

/** Sends a request without a signature. */
export async function send(target: string, init: RequestInit = {}): Promise<RestResponse> {
  const response = await fetch(target, init)
  const text = await response.text()
  const isJson = text !== '' && response.headers.get('content-type')?.startsWith('application/json')
  const body = isJson ? JSON.parse(text) : undefined
  const [error] = body?.errors ?? []
  const { status, headers } = response
  return { status, headers, text, body, code: error?.extensions?.code, message: error?.message }
}
