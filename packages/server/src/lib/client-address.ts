import type { IncomingMessage } from 'node:http'
import { BlockList, isIP, isIPv4, isIPv6, type Socket } from 'node:net'
import type { AddressRange } from './address-range.ts'
import { createSlot } from './slot.ts'

/** The address that a request comes from. */
export type AddressOf = (request: Pick<IncomingMessage, 'socket' | 'headers'>) => string

/**
 * The connection's address or, where that is a trusted proxy's, the last address before it that is none, as the proxies tell it
 * in `X-Forwarded-For` or `Forwarded` (RFC 7239). Of a connection from anywhere else neither header is looked at.
 */
export function clientAddress(trustedProxies: readonly AddressRange[]): AddressOf {
  if (trustedProxies.length === 0) return ({ socket }) => connectionAddress(socket)
  const isTrusted = isIn(trustedProxies)

  /** From the last of those told to the first; what is no address hides whatever is told before it. */
  const lastUntrusted = (connection: string, told: readonly (string | undefined)[]): string => {
    let address = connection
    for (const each of told.toReversed()) {
      if (each === undefined || !isTrusted(address)) break
      address = each
    }
    return address
  }

  return ({ socket, headers }) => {
    const connection = connectionAddress(socket)
    if (!isTrusted(connection)) return connection
    const { forwarded, 'x-forwarded-for': xForwardedFor } = headers
    const byEach: string[] = []
    if (forwarded !== undefined) byEach.push(lastUntrusted(connection, readForwarded(forwarded)))
    if (xForwardedFor !== undefined) byEach.push(lastUntrusted(connection, readXForwardedFor(String(xForwardedFor))))
    const [address = connection, other = address] = byEach
    // A proxy that writes one of the two may hand on the other as the client wrote it.
    return address === other ? address : connection
  }
}

const addresses = createSlot<Socket, string>('address')

/** The socket reads it from the system each time. */
function connectionAddress(socket: Socket): string {
  const known = addresses.get(socket)
  if (known !== undefined) return known
  const address = plainAddress(socket.remoteAddress ?? '')
  // Empty once the connection has closed.
  if (address !== '') addresses.set(socket, address)
  return address
}

/** Whether an address is in one of the ranges. */
export function isIn(ranges: readonly AddressRange[]): (address: string) => boolean {
  const list = new BlockList()
  for (const [address, bits] of ranges) list.addSubnet(address.toString(), bits, address.kind())
  return (address) => isIP(address) !== 0 && list.check(address, isIPv4(address) ? 'ipv4' : 'ipv6')
}

/** IPv4 in IPv6 (RFC 4291 §2.5.5.2) is the IPv4 address; a zone (RFC 4007 §11) is no part of it. */
export const plainAddress = (address: string): string =>
  /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address.split('%', 1)[0]!

const readXForwardedFor = (header: string): (string | undefined)[] => header.split(',').map(readNode)

/** The `for` of each element; all of it is undefined where it cannot be read (RFC 7239 §4). */
function readForwarded(header: string): (string | undefined)[] {
  const told: (string | undefined)[] = []
  // Blanks are matched in one place for each of them: in two, a header of nothing else would take time by its square.
  const pair = /[ \t]*(?:([!#$%&'*+.^`|~\w-]+)=(?:([!#$%&'*+.^`|~\w-]+)|"((?:[^"\\]|\\.)*)")[ \t]*)?([;,]|$)/y
  let element: string | undefined
  for (;;) {
    const [text, name, token, quoted, end] = pair.exec(header) ?? []
    if (text === undefined) return [undefined]
    if (name?.toLowerCase() === 'for') element = token ?? quoted?.replace(/\\(.)/g, '$1')
    if (end === ';') continue
    told.push(element === undefined ? undefined : readNode(element))
    element = undefined
    if (end === '') return told
  }
}

/** An address, with or without a port (RFC 7239 §6); undefined for `unknown`, made-up names and whatever else. */
function readNode(text: string): string | undefined {
  const node = text.trim()
  const bare = /^\[([^\]]+)\](?::\d+)?$/.exec(node)?.[1] ?? /^([\d.]+):\d+$/.exec(node)?.[1] ?? node
  const address = plainAddress(bare)
  return isIP(address) === 0 ? undefined : address.toLowerCase()
}

/** One customer has at least a /64 of IPv6 (RFC 6177 §2), so its addresses count as one. */
export function networkOf(address: string): string {
  if (!address.includes(':') || !isIPv6(address)) return address
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)
  if (mapped !== null) return mapped[1]!
  const [head = '', tail] = address.replace(/%.*$/, '').toLowerCase().split('::')
  const first = head === '' ? [] : head.split(':')
  const missing = tail === undefined ? 0 : 8 - first.length - (tail === '' ? 0 : tail.split(':').length)
  const groups = [...first, ...Array<string>(Math.max(missing, 0)).fill('0'), ...(tail ?? '').split(':')]
  return `${groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, '') || '0')
    .join(':')}::/64`
}
