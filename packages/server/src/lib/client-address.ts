import type { IncomingMessage } from 'node:http'
import { BlockList, isIP, isIPv4, isIPv6, type Socket } from 'node:net'
import type { AddressRange } from './address-range.ts'
import { createSlot } from './slot.ts'

export type AddressOf = (request: Pick<IncomingMessage, 'socket' | 'headers'>) => string

/**
 * Returns a function that determines a client's address. Behind a trusted proxy, the address is usually the last
 * untrusted address in `X-Forwarded-For` or `Forwarded` (RFC 7239). Without a trusted proxy, it is the address of the
 * connection, and the function ignores both headers.
 */
export function clientAddress(trustedProxies: readonly AddressRange[]): AddressOf {
  if (trustedProxies.length === 0) return ({ socket }) => connectionAddress(socket)
  const isTrusted = isIn(trustedProxies)

  /**
   * Returns the last untrusted address, or the first address if all are trusted. Stops at an invalid address, because
   * the addresses before it are unreliable.
   */
  const lastUntrusted = (connection: string, reported: readonly (string | undefined)[]): string => {
    let address = connection
    for (const each of reported.toReversed()) {
      if (each === undefined || !isTrusted(address)) break
      address = each
    }
    return address
  }

  return ({ socket, headers }) => {
    const connection = connectionAddress(socket)
    if (!isTrusted(connection)) return connection
    const { forwarded, 'x-forwarded-for': xForwardedFor } = headers
    const found: string[] = []
    if (forwarded !== undefined) found.push(lastUntrusted(connection, readForwarded(forwarded)))
    if (xForwardedFor !== undefined) found.push(lastUntrusted(connection, readXForwardedFor(String(xForwardedFor))))
    const [address = connection, other = address] = found
    // If both headers are present and differ, neither is reliable. A proxy that sets one header may pass the other
    // header through unchanged.
    return address === other ? address : connection
  }
}

const addresses = createSlot<Socket, string>('address')

/** Returns the address of the connection. Caches it, so that each connection's address is converted only once. */
function connectionAddress(socket: Socket): string {
  const known = addresses.get(socket)
  if (known !== undefined) return known
  const address = plainAddress(socket.remoteAddress ?? '')
  // After a connection has closed, its address can be empty.
  if (address !== '') addresses.set(socket, address)
  return address
}

export function isIn(ranges: readonly AddressRange[]): (address: string) => boolean {
  const list = new BlockList()
  for (const [address, bits] of ranges) list.addSubnet(address.toString(), bits, address.kind())
  return (address) => isIP(address) !== 0 && list.check(address, isIPv4(address) ? 'ipv4' : 'ipv6')
}

/** Converts an IPv4-mapped IPv6 address (RFC 4291 §2.5.5.2) to the IPv4 address, and removes a zone (RFC 4007 §11). */
export const plainAddress = (address: string): string =>
  /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address.split('%', 1)[0]!

const readXForwardedFor = (header: string): (string | undefined)[] => header.split(',').map(readNode)

/**
 * Returns the address in the `for` parameter of each element (RFC 7239 §4), or undefined for an element without a valid
 * address. If the header is malformed, returns `[undefined]`.
 */
function readForwarded(header: string): (string | undefined)[] {
  const nodes: (string | undefined)[] = []
  // If the pattern could match a space in two places, a header of spaces would take quadratic time.
  const pair = /[ \t]*(?:([!#$%&'*+.^`|~\w-]+)=(?:([!#$%&'*+.^`|~\w-]+)|"((?:[^"\\]|\\.)*)")[ \t]*)?([;,]|$)/y
  let element: string | undefined
  for (;;) {
    const [text, name, token, quoted, end] = pair.exec(header) ?? []
    if (text === undefined) return [undefined]
    if (name?.toLowerCase() === 'for') element = token ?? quoted?.replace(/\\(.)/g, '$1')
    if (end === ';') continue
    nodes.push(element === undefined ? undefined : readNode(element))
    element = undefined
    if (end === '') return nodes
  }
}

/** Parses an address with an optional port. Returns undefined for other strings, such as `unknown`. */
function readNode(text: string): string | undefined {
  const node = text.trim()
  const bare = /^\[([^\]]+)\](?::\d+)?$/.exec(node)?.[1] ?? /^([\d.]+):\d+$/.exec(node)?.[1] ?? node
  const address = plainAddress(bare)
  return isIP(address) === 0 ? undefined : address.toLowerCase()
}

/** Returns an IPv4 address, or the /64 of an IPv6 address. Each customer has at least one /64 (RFC 6177 §2). */
export function networkOf(address: string): string {
  if (!address.includes(':') || !isIPv6(address)) return address
  const plain = plainAddress(address)
  if (isIPv4(plain)) return plain
  const [head = '', tail] = plain.toLowerCase().split('::')
  const first = head === '' ? [] : head.split(':')
  const missing = tail === undefined ? 0 : 8 - first.length - (tail === '' ? 0 : tail.split(':').length)
  const groups = [...first, ...Array<string>(Math.max(missing, 0)).fill('0'), ...(tail ?? '').split(':')]
  return `${groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, '') || '0')
    .join(':')}::/64`
}
