import { isIP } from 'node:net'
import { usageError } from '../errors/cli-error.ts'

/** Rejects URLs of other machines, because a simulated fleet could flood them with thousands of connections. */
export function assertLoopback(url: string, what: string): void {
  const host = new URL(url).hostname.replace(/^\[(.*)\]$/, '$1')
  if (isLoopback(host)) return
  throw usageError(
    `${what} is at ${host}, which is not a loopback address`,
    'To allow another machine, pass --allow-remote.',
  )
}

/** Follows RFC 1122 §3.2.1.3, RFC 4291 §2.5.3, and RFC 6761 §6.3. */
function isLoopback(host: string): boolean {
  if (isIP(host) === 4) return host.startsWith('127.')
  return host === '::1' || host === 'localhost' || host.endsWith('.localhost')
}
