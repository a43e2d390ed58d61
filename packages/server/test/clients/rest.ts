import { type SignRequestOptions, signRequest } from '@muster/http-signature'
import type { TestUser } from '../harness/app.ts'

export interface RestAnswer {
  status: number
  headers: Headers
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: what a route answers is known to its test alone
  body: any
  /** Of the first error. */
  code: string | undefined
  message: string | undefined
}

export interface RestRequest {
  /** Sent as JSON; a string as it is. */
  body?: unknown
  /** The body as bytes. */
  bytes?: Buffer<ArrayBuffer>
  contentType?: string
  /** How it is signed; `url` is what is signed, not where it goes. */
  signing?: Partial<SignRequestOptions>
  /** Headers put beside those of the signature. */
  beside?: Record<string, string>
}

export type Rest = (method: string, path: string, request?: RestRequest) => Promise<RestAnswer>

/** Sends signed requests to the REST API of a server; `path` is below /rest/v1. */
export function restOf(url: string, { keyId, secret }: Pick<TestUser, 'keyId' | 'secret'>): Rest {
  const key = { algorithm: 'hmac-sha256', secret: Buffer.from(secret, 'base64') } as const
  return async (method, path, { body, bytes, contentType = 'application/json', signing = {}, beside = {} } = {}) => {
    const target = `${url}/rest/v1${path}`
    const sent = bytes ?? (body === undefined ? undefined : textOf(body))
    const headers: Record<string, string> = sent === undefined ? {} : { 'content-type': contentType }
    const created = Math.floor(Date.now() / 1_000)
    const added = signRequest({ keyId, key, method, url: target, headers, body: sent, created, ...signing })
    return send(target, {
      method,
      headers: { ...headers, ...added, ...beside },
      ...(sent !== undefined && { body: sent }),
    })
  }
}

const textOf = (body: unknown): string => (typeof body === 'string' ? body : JSON.stringify(body))

/** Sends a request without a signature. */
export async function send(target: string, init: RequestInit = {}): Promise<RestAnswer> {
  const response = await fetch(target, init)
  const text = await response.text()
  const isJson = text !== '' && response.headers.get('content-type')?.startsWith('application/json')
  const body = isJson ? JSON.parse(text) : undefined
  const [error] = body?.errors ?? []
  const { status, headers } = response
  return { status, headers, text, body, code: error?.extensions?.code, message: error?.message }
}
