import { Resolver } from 'node:dns/promises'
import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'

/** Returns the IP addresses of a host name. Rejects if the name has no address or the lookup fails. */
export type Resolve = (name: string) => Promise<string[]>

/**
 * Returns loopback addresses for localhost and its subdomains. For any other name, reads the hosts file and, if the
 * file does not list the name, queries DNS directly. Lookups by the operating system occupy threads of a small pool, so
 * slow lookups would delay all others.
 */
export const resolveName: Resolve = async (name) => {
  const wanted = name.replace(/\.$/, '').toLowerCase()
  const loopback = loopbackAddresses(wanted)
  if (loopback.length > 0) return loopback
  const listed = addressesIn(await readFile(HOSTS_FILE, 'utf8').catch(() => ''), wanted)
  return listed.length > 0 ? listed : queryDns(wanted)
}

/** Returns the addresses for localhost and its subdomains (RFC 6761 §6.3), or an empty list for any other name. */
export function loopbackAddresses(name: string): string[] {
  return /(?:^|\.)localhost\.?$/i.test(name) ? ['127.0.0.1', '::1'] : []
}

const HOSTS_FILE = '/etc/hosts'

function addressesIn(hosts: string, wanted: string): string[] {
  return hosts.split('\n').flatMap((line) => {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/)
    return isIP(address) !== 0 && names.some((name) => name.toLowerCase() === wanted) ? [address] : []
  })
}

async function queryDns(name: string): Promise<string[]> {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 })
  const results = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
  const addresses = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []))
  if (addresses.length > 0) return addresses
  throw (results[0] as PromiseRejectedResult).reason
}
