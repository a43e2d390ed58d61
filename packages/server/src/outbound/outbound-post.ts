import { isIP } from 'node:net'
import { performance } from 'node:perf_hooks'
import type { Dispatcher } from 'undici'
import type { AddressRange } from '../lib/address-range.ts'
import { isAllowedAddress } from './allowed-address.ts'
import { assertAllowedLiteral, checkedLookup, ForbiddenAddress, hostOf } from './checked-lookup.ts'
import { loopbackAddresses, type Resolve, resolveName } from './resolve.ts'

export interface Outbound {
  /**
   * Checks whether the host is a forbidden address or a forbidden loopback name. Does not look up other names, because
   * the result would reveal which names exist in the server's own network. The addresses of a name are checked on every
   * connection.
   */
  isForbidden(url: URL): boolean
  /** Sends a POST request. If the request fails, the promise still resolves, and the result contains the error. */
  post(message: OutboundMessage): Promise<OutboundResult>
  close(): Promise<void>
}

export interface OutboundMessage {
  url: URL
  headers: Record<string, string>
  body: string
  signal?: AbortSignal
}

export type OutboundResult = {
  /** The duration of the request, in milliseconds. */
  duration: number
} & (Sent | { status: null; error: string })

interface Sent {
  status: number
  retryAfter: string | undefined
  /** The first KiB of the response's body. */
  body: string
}

export interface OutboundOptions {
  allowed: readonly AddressRange[]
  resolve?: Resolve
}

const CONNECT_TIMEOUT_MS = 5_000
const TOTAL_TIMEOUT_MS = 15_000
const STORED_BYTES = 1_024
/** Responses up to this size, in bytes, are read completely, so that their connections can be reused. */
const READ_BYTES = 64 * 1_024

export function createOutbound({ allowed, resolve = resolveName }: OutboundOptions): Outbound {
  const isAllowed = (address: string): boolean => isAllowedAddress(address, allowed)
  let opened: Promise<Dispatcher> | undefined
  const open = async (): Promise<Dispatcher> => {
    // undici is imported on first use, because it has many modules, and many servers send no requests.
    const { Agent } = await import('undici')
    return new Agent({
      // The connection uses the checked address without another lookup, so the address cannot change after the check.
      connect: { timeout: CONNECT_TIMEOUT_MS, lookup: checkedLookup(resolve, isAllowed) },
      allowH2: false,
      pipelining: 1,
      headersTimeout: TOTAL_TIMEOUT_MS,
      bodyTimeout: TOTAL_TIMEOUT_MS,
      maxHeaderSize: 16 * 1_024,
    })
  }
  return {
    isForbidden(url) {
      const host = hostOf(url)
      const addresses = isIP(host) === 0 ? loopbackAddresses(host) : [host]
      return !addresses.every(isAllowed)
    },
    async post(message) {
      const startedAt = performance.now()
      opened ??= open()
      const result = await send(await opened, message, isAllowed).catch((error: unknown) => ({
        status: null,
        error: describeError(error),
      }))
      return { ...result, duration: Math.round(performance.now() - startedAt) }
    },
    async close() {
      await (await opened)?.destroy()
    },
  }
}

async function send(
  dispatcher: Dispatcher,
  { url, headers, body, signal }: OutboundMessage,
  isAllowed: (address: string) => boolean,
): Promise<Sent> {
  assertAllowedLiteral(url, isAllowed)
  const timeout = AbortSignal.timeout(TOTAL_TIMEOUT_MS)
  const response = await dispatcher.request({
    origin: url.origin,
    path: url.pathname + url.search,
    method: 'POST',
    headers,
    body,
    signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
  })
  const retryAfter = response.headers['retry-after']
  return {
    status: response.statusCode,
    retryAfter: Array.isArray(retryAfter) ? retryAfter[0] : retryAfter,
    body: await readStart(response.body),
  }
}

async function readStart(stream: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = []
  let read = 0
  for await (const chunk of stream) {
    if (read < STORED_BYTES) chunks.push(chunk)
    read += chunk.length
    if (read > READ_BYTES) break
  }
  const text = new TextDecoder().decode(Buffer.concat(chunks).subarray(0, STORED_BYTES))
  return text.replaceAll('\u0000', '\ufffd')
}

const NO_ADDRESS = 'the host name has no address, or has an address that the server may not connect to'
const INCOMPLETE = `the receiver sent no complete response within ${TOTAL_TIMEOUT_MS / 1_000} seconds`

const causes: Readonly<Record<string, string>> = {
  ENOTFOUND: NO_ADDRESS,
  ENODATA: NO_ADDRESS,
  ESERVFAIL: 'the DNS lookup of the host name failed',
  ETIMEOUT: 'the DNS lookup of the host name timed out',
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was closed unexpectedly',
  EPIPE: 'the connection was closed unexpectedly',
  UND_ERR_SOCKET: 'the connection was closed unexpectedly',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the host cannot be reached',
  ETIMEDOUT: `the receiver accepted no connection within ${CONNECT_TIMEOUT_MS / 1_000} seconds`,
  UND_ERR_CONNECT_TIMEOUT: `the receiver accepted no connection within ${CONNECT_TIMEOUT_MS / 1_000} seconds`,
  UND_ERR_HEADERS_TIMEOUT: `the receiver sent no response within ${TOTAL_TIMEOUT_MS / 1_000} seconds`,
  UND_ERR_BODY_TIMEOUT: INCOMPLETE,
  UND_ERR_HEADERS_OVERFLOW: 'the response headers are too long',
}

/** Describes an error for the webhook's owner. The description must not reveal details of this server. */
function describeError(error: unknown): string {
  const { name, code = '', message, errors } = error as NodeJS.ErrnoException & { errors?: unknown[] }
  if (name === 'TimeoutError') return INCOMPLETE
  if (name === 'AbortError') return 'the server stopped before the response arrived'
  // Each address of a name can fail for a different reason. Only the first reason is reported.
  if (errors?.[0] !== undefined) return describeError(errors[0])
  if (error instanceof ForbiddenAddress) return message
  if (/^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|EPROTO)/.test(code))
    return `the TLS connection failed: ${message}`
  if (name === 'HTTPParserError') return 'the response is not HTTP'
  return causes[code] ?? `the request failed (${code || name})`
}
