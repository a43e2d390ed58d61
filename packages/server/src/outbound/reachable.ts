import ipaddr from 'ipaddr.js'
import type { Address, AddressRange } from '../lib/address-range.ts'

/** The one part of IPv6 that IANA has given out for global unicast (RFC 4291 §2.4). */
const globalUnicast: AddressRange = [ipaddr.parse('2000::'), 3]

/**
 * Whether a connection to this address may be made: it is globally reachable unicast (RFC 6890, and what IANA's special-purpose
 * registries added), or in a range that the operator allows. Forms that carry an IPv4 address inside, such as 6to4 and
 * NAT64, are not: who routes them decides where they end. `address` is one as the system gives it, not as a URL writes it.
 */
export function isReachable(address: string, allowed: readonly AddressRange[]): boolean {
  if (address.includes('%') || !ipaddr.isValid(address)) return false
  // Unpacks ::ffff:127.0.0.1, which connects to 127.0.0.1.
  const parsed = ipaddr.process(address)
  if (allowed.some((range) => isWithin(parsed, range))) return true
  return parsed.range() === 'unicast' && (parsed.kind() === 'ipv4' || isWithin(parsed, globalUnicast))
}

const isWithin = (address: Address, [range, bits]: AddressRange): boolean =>
  address.kind() === range.kind() && address.match(range, bits)
