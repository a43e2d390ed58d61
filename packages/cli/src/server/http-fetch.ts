import type { IncomingMessage } from 'node:http'
import type { RequestOptions } from 'node:https'
import type { Readable } from 'node:stream'

/** Timeout of a connection attempt. `fetch` has the same limit. */
const CONNECT_TIMEOUT_MS = 10_000

export interface HttpRequest extends RequestOptions {
  body: string
}

/** Sends a request without `fetch`, which takes as much CPU time and memory to load as most commands need in total. */
export async function sendRequest(url: string, { body, ...options }: HttpRequest): Promise<IncomingMessage> {
  const isSecure = url.startsWith('https:')
  const { request } = isSecure ? await import('node:https') : await import('node:http')
  return new Promise((resolve, reject) => {
    const sent = request(url, options, resolve)
    const timer = setTimeout(() => sent.destroy(connectTimeout()), CONNECT_TIMEOUT_MS)
    sent.on('socket', (socket) => {
      if (socket.connecting) socket.once(isSecure ? 'secureConnect' : 'connect', () => clearTimeout(timer))
      else clearTimeout(timer)
    })
    sent.on('close', () => clearTimeout(timer))
    sent.on('error', reject)
    sent.end(body)
  })
}

/** Returns an error with the code that `fetch` uses, so that the client recognizes the error. */
const connectTimeout = (): Error =>
  Object.assign(new Error(`no connection within ${CONNECT_TIMEOUT_MS / 1_000} s`), { code: 'UND_ERR_CONNECT_TIMEOUT' })

export async function readText(response: IncomingMessage, maxBytes = Number.POSITIVE_INFINITY): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of await decompressed(response)) {
    length += chunk.length
    if (length > maxBytes) throw new Error(`the response is longer than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

async function decompressed(response: IncomingMessage): Promise<Readable> {
  if (response.headers['content-encoding'] !== 'gzip') return response
  const [{ createGunzip }, { pipeline }] = await Promise.all([import('node:zlib'), import('node:stream')])
  // Ignore the error here, because reading the returned stream fails if the response fails.
  return pipeline(response, createGunzip(), () => {})
}

interface SignedRequest {
  method: string
  headers: Record<string, string>
  body: string
  signal: AbortSignal
}

/**
 * Replaces `fetch` for the client, which passes strings and reads only the response members that this function
 * returns. Event streams require the real `fetch`.
 */
export const httpFetch = (async (url: string, init: SignedRequest) => {
  if (init.headers.Accept === 'text/event-stream') return fetch(url, init)
  try {
    // The API does not compress responses, but a proxy in front of it can.
    const response = await sendRequest(url, { ...init, headers: { ...init.headers, 'Accept-Encoding': 'gzip' } })
    const text = await readText(response)
    const headers = { get: (name: string) => response.headers[name] ?? null }
    return { status: response.statusCode, headers, text: async () => text }
  } catch (error) {
    throw init.signal.aborted ? init.signal.reason : error
  }
}) as unknown as typeof fetch
