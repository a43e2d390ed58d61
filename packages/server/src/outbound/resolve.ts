import { Resolver } from 'node:dns/promises'
import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'

/** Every address of a name; rejects when it has none or cannot be asked for. */
export type Resolve = (name: string) => Promise<string[]>

/**
 * The hosts file, then DNS. Not the system's own lookup: that takes a thread of a small pool for as long as a name server is
 * silent, and names that nobody answers for would hold up all others.
 */
export const resolveName: Resolve = async (name) => {
  const wanted = name.replace(/\.$/, '').toLowerCase()
  const loopback = loopbackAddresses(wanted)
  if (loopback.length > 0) return loopback
  const listed = addressesIn(await readFile(HOSTS_FILE, 'utf8').catch(() => ''), wanted)
  return listed.length > 0 ? listed : askDns(wanted)
}

/** The addresses of a name that means this machine everywhere (RFC 6761 §6.3); none for any other name. */
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

async function askDns(name: string): Promise<string[]> {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 })
  const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
  const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
  if (addresses.length > 0) return addresses
  throw (answers[0] as PromiseRejectedResult).reason
}
