import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { type ApiError, badInput, limitExceeded } from '../../errors.ts'
import { isIn } from '../../lib/client-address.ts'
import { limits } from '../../limits.ts'

/**
 * Converts networks or single addresses to networks in canonical CIDR notation, without duplicates. Throws if an item
 * is neither, or if there are too many items.
 */
export function readNetworks(given: readonly string[]): string[] {
  if (given.length > limits.networksPerKey)
    throw limitExceeded(`an access key can have at most ${limits.networksPerKey} networks, found ${given.length}`, {
      limit: limits.networksPerKey,
      found: given.length,
    })
  return [...new Set(given.map((text, index) => readNetwork(text, `networks[${index}]`)))]
}

/** The length, in bits, of the prefix that all IPv4-mapped IPv6 addresses share (RFC 4291 §2.5.5.2). */
const MAPPED_BITS = 96

function readNetwork(text: string, path: string): string {
  const [, address = '', length] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  if (isIP(address) === 0 || address.includes('%')) throw notANetwork(text, path)
  const parsed = ipaddr.parse(address)
  const most = parsed.kind() === 'ipv4' ? 32 : 128
  const bits = length === undefined ? most : Number(length)
  if (bits > most) throw notANetwork(text, path)
  const isMapped = 'isIPv4MappedAddress' in parsed && parsed.isIPv4MappedAddress() && bits >= MAPPED_BITS
  if (isMapped) return firstOf(parsed.toIPv4Address().toString(), bits - MAPPED_BITS)
  return firstOf(parsed.toString(), bits)
}

function firstOf(address: string, bits: number): string {
  const cidr = `${address}/${bits}`
  const first = address.includes(':')
    ? ipaddr.IPv6.networkAddressFromCIDR(cidr)
    : ipaddr.IPv4.networkAddressFromCIDR(cidr)
  return `${first}/${bits}`
}

const notANetwork = (text: string, path: string): ApiError =>
  badInput(
    `${path} must be an IP address or a network in CIDR notation, such as 192.0.2.7 or 2001:db8::/32, not ${JSON.stringify(text)}`,
  )

/** Returns whether each of `networks` is within one of `others`. An empty list means all addresses. */
export function areWithin(networks: readonly string[], others: readonly string[]): boolean {
  if (others.length === 0) return true
  if (networks.length === 0) return false
  return networks.every((network) => {
    const [first, bits] = ipaddr.parseCIDR(network)
    return others.some((other) => {
      const range = ipaddr.parseCIDR(other)
      return range[1] <= bits && isIn([range])(first.toString())
    })
  })
}
