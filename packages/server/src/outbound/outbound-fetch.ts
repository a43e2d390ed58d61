import { Agent, type RequestInit, fetch as undiciFetch } from 'undici'
import { isAllowedAddress } from './allowed-address.ts'
import { assertAllowedLiteral, checkedLookup } from './checked-lookup.ts'
import type { OutboundOptions } from './outbound-post.ts'
import { resolveName } from './resolve.ts'

/** Fetches from allowed addresses, for libraries that take a `fetch` function. */
export interface OutboundFetch {
  /** Does not follow redirects. Rejects if the address is not allowed, or if the response is too long or too late. */
  fetch(url: string, options: RequestInit): Promise<Response>
  close(): Promise<void>
}

const TIMEOUT_MS = 10_000
const READ_BYTES = 1_024 * 1_024

export function createOutboundFetch({ allowed, resolve = resolveName }: OutboundOptions): OutboundFetch {
  const isAllowed = (address: string): boolean => isAllowedAddress(address, allowed)
  const agent = new Agent({
    connect: { timeout: TIMEOUT_MS / 2, lookup: checkedLookup(resolve, isAllowed) },
    headersTimeout: TIMEOUT_MS,
    bodyTimeout: TIMEOUT_MS,
    maxHeaderSize: 16 * 1_024,
  })
  return {
    async fetch(url, options) {
      assertAllowedLiteral(new URL(url), isAllowed)
      const timeout = AbortSignal.timeout(TIMEOUT_MS)
      const signal = options.signal ? AbortSignal.any([options.signal, timeout]) : timeout
      const { status, headers, body } = await undiciFetch(url, {
        ...options,
        signal,
        redirect: 'manual',
        dispatcher: agent,
      })
      const content = body === null ? null : await readAll(body as AsyncIterable<Uint8Array>)
      return new Response(hasBody(status) ? content : null, { status, headers: [...headers] })
    },
    close: () => agent.destroy(),
  }
}

async function readAll(body: AsyncIterable<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body) {
    length += chunk.length
    if (length > READ_BYTES) throw new Error(`the response is longer than ${READ_BYTES} bytes`)
    chunks.push(chunk)
  }
  return new Uint8Array(Buffer.concat(chunks))
}

/** Checks whether the Fetch standard allows a body with this status. */
const hasBody = (status: number): boolean => ![204, 205, 304].includes(status)
