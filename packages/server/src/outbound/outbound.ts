import type { LookupAddress, LookupOptions } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, type Dispatcher, request } from 'undici'
import type { AddressRange } from '../lib/address-range.ts'
import { isReachable } from './reachable.ts'
import { loopbackAddresses, type Resolve, resolveName } from './resolve.ts'

/** Sends requests to addresses that users named, and to those alone that may be reached. */
export interface Outbound {
  /**
   * Whether this host is an address, or a name of this machine, that may not be connected to. Other names are not looked up: the
   * result would reveal which names the server's own network has. They are checked at each connection.
   */
  isForbidden(url: URL): boolean
  /** Never rejects: what went wrong is in the answer. */
  post(message: OutboundMessage): Promise<OutboundAnswer>
  close(): Promise<void>
}

export interface OutboundMessage {
  url: URL
  headers: Record<string, string>
  body: string
  /** Gives the request up. */
  signal?: AbortSignal
}

export type OutboundAnswer = { /** Milliseconds. */ duration: number } & (
  | { status: number; retryAfter: string | undefined /** The first KiB. */; body: string }
  | { status: null; error: string }
)

export interface OutboundOptions {
  allowed: readonly AddressRange[]
  resolve?: Resolve
}

const CONNECT_MS = 5_000
const WHOLE_MS = 15_000
/** A lookup that fails takes at least this long: longer than most lookups take. */
const FAILED_LOOKUP_MS = 1_000
const KEPT_BYTES = 1_024
/** An answer is read on up to here, so that its connection can be used again; the rest is cut off. */
const READ_BYTES = 64 * 1_024

export function createOutbound({ allowed, resolve = resolveName }: OutboundOptions): Outbound {
  const reachable = (address: string): boolean => isReachable(address, allowed)
  const agent = new Agent({
    // Asked for each connection to a name; what it answers is connected to, and nothing else is asked after it.
    connect: { timeout: CONNECT_MS, lookup: checkedLookup(resolve, reachable) },
    allowH2: false,
    pipelining: 1,
    headersTimeout: WHOLE_MS,
    bodyTimeout: WHOLE_MS,
    maxHeaderSize: 16 * 1_024,
  })
  return {
    isForbidden(url) {
      const host = hostOf(url)
      const addresses = isIP(host) === 0 ? loopbackAddresses(host) : [host]
      return !addresses.every(reachable)
    },
    async post(message) {
      const began = performance.now()
      const answer = await send(agent, message, reachable).catch((error: unknown) => ({
        status: null,
        error: errorText(error),
      }))
      return { ...answer, duration: Math.round(performance.now() - began) }
    },
    close: () => agent.destroy(),
  }
}

/** Without the brackets of an IPv6 address. */
const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1')

type Sent = { status: number; retryAfter: string | undefined; body: string }

async function send(
  dispatcher: Dispatcher,
  { url, headers, body, signal }: OutboundMessage,
  reachable: (address: string) => boolean,
): Promise<Sent> {
  const host = hostOf(url)
  // An address is connected to without a lookup.
  if (isIP(host) !== 0 && !reachable(host)) throw new ForbiddenAddress(`${host} is no address that may be connected to`)
  const inTime = AbortSignal.timeout(WHOLE_MS)
  const response = await request(url, {
    dispatcher,
    method: 'POST',
    headers,
    body,
    signal: signal === undefined ? inTime : AbortSignal.any([signal, inTime]),
  })
  const retryAfter = response.headers['retry-after']
  return {
    status: response.statusCode,
    retryAfter: Array.isArray(retryAfter) ? retryAfter[0] : retryAfter,
    body: await readStart(response.body),
  }
}

async function readStart(stream: AsyncIterable<Buffer>): Promise<string> {
  const kept: Buffer[] = []
  let read = 0
  for await (const chunk of stream) {
    if (read < KEPT_BYTES) kept.push(chunk)
    read += chunk.length
    if (read > READ_BYTES) break
  }
  const text = new TextDecoder().decode(Buffer.concat(kept).subarray(0, KEPT_BYTES))
  return text.replaceAll('\u0000', '\ufffd')
}

/**
 * The lookup of Node's sockets: all addresses of a name. A name with an address that may not be connected to fails like a name
 * that has none, and no sooner than after a second, so that users cannot find out which names the server's own network has.
 */
function checkedLookup(resolve: Resolve, reachable: (address: string) => boolean): LookupFunction {
  return (name, options: LookupOptions, callback) => {
    const answer = callback as (error: Error | null, found?: LookupAddress[] | string, family?: number) => void
    const leastUntil = performance.now() + FAILED_LOOKUP_MS
    const fail = async (error: Error): Promise<void> => {
      await sleep(Math.max(0, leastUntil - performance.now()))
      answer(error)
    }
    resolve(name).then(
      (addresses) => {
        const found = addresses.map((address) => ({ address, family: isIP(address) }))
        const [first] = found
        if (first === undefined || !addresses.every(reachable)) fail(noAddress())
        else if (options.all) answer(null, found)
        else answer(null, first.address, first.family)
      },
      (error: Error) => fail(error),
    )
  }
}

const noAddress = (): Error => Object.assign(new Error('no address'), { code: 'ENOTFOUND' })

class ForbiddenAddress extends Error {
  readonly code = 'FORBIDDEN_ADDRESS'
}

const NO_ADDRESS = 'the name has no address that the server may connect to'

const causes: Readonly<Record<string, string>> = {
  ENOTFOUND: NO_ADDRESS,
  ENODATA: NO_ADDRESS,
  ESERVFAIL: 'the name could not be looked up',
  ETIMEOUT: 'the name could not be looked up in time',
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was broken off',
  EPIPE: 'the connection was broken off',
  UND_ERR_SOCKET: 'the connection was broken off',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the host cannot be reached',
  ETIMEDOUT: `no connection within ${CONNECT_MS / 1_000} seconds`,
  UND_ERR_CONNECT_TIMEOUT: `no connection within ${CONNECT_MS / 1_000} seconds`,
  UND_ERR_HEADERS_TIMEOUT: `no answer within ${WHOLE_MS / 1_000} seconds`,
  UND_ERR_BODY_TIMEOUT: `no whole answer within ${WHOLE_MS / 1_000} seconds`,
  UND_ERR_HEADERS_OVERFLOW: 'the headers of the answer are too long',
}

/** What went wrong, for the owner of the address: of this server it says nothing. */
function errorText(error: unknown): string {
  const { name, code = '', message, errors } = error as NodeJS.ErrnoException & { errors?: unknown[] }
  if (name === 'TimeoutError') return `no whole answer within ${WHOLE_MS / 1_000} seconds`
  if (name === 'AbortError') return 'given up: the server stopped'
  // Of the addresses of a name each may fail in its own way; the first stands for them.
  if (errors?.[0] !== undefined) return errorText(errors[0])
  if (error instanceof ForbiddenAddress) return message
  if (/^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|EPROTO)/.test(code)) return `TLS: ${message}`
  if (name === 'HTTPParserError') return 'the answer is no HTTP'
  return causes[code] ?? `the request failed (${code || name})`
}
