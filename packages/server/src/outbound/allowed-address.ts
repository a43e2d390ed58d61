import ipaddr from 'ipaddr.js'
import type { Address, AddressRange } from '../lib/address-range.ts'

/** The only IPv6 range in which IANA assigns global unicast addresses (IANA's registry of the IPv6 address space). */
const globalUnicast: AddressRange = [ipaddr.parse('2000::'), 3]

/**
 * Checks whether the server may connect to `address`. The address must be globally reachable unicast (RFC 6890 and
 * the IANA special-purpose registries) or in a range that the operator allows. Outside such a range, addresses of 6to4,
 * NAT64, and similar mechanisms are forbidden, because the network determines their destination. `address` must have
 * the operating system's format, not the format in a URL.
 */
export function isAllowedAddress(address: string, allowed: readonly AddressRange[]): boolean {
  if (address.includes('%') || !ipaddr.isValid(address)) return false
  // IPv4-mapped addresses are converted, because ::ffff:127.0.0.1 connects to 127.0.0.1.
  const parsed = ipaddr.process(address)
  if (allowed.some((range) => isWithin(parsed, range))) return true
  return parsed.range() === 'unicast' && (parsed.kind() === 'ipv4' || isWithin(parsed, globalUnicast))
}

const isWithin = (address: Address, [range, bits]: AddressRange): boolean =>
  address.kind() === range.kind() && address.match(range, bits)
