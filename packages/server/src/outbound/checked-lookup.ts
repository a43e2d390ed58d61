import type { LookupAddress, LookupOptions } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Resolve } from './resolve.ts'

/** The minimum duration, in milliseconds, of a failed lookup. Most lookups take less time. */
const FAILED_LOOKUP_MS = 1_000

export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1')

/**
 * Returns a lookup function for connections. The lookup of a name with a forbidden address fails like the lookup of a
 * missing name, after at least one second. Users therefore cannot find out whether the name exists.
 */
export function checkedLookup(resolve: Resolve, isAllowed: (address: string) => boolean): LookupFunction {
  return (name, options: LookupOptions, callback) => {
    const respond = callback as (error: Error | null, found?: LookupAddress[] | string, family?: number) => void
    const earliest = performance.now() + FAILED_LOOKUP_MS
    const fail = async (error: Error): Promise<void> => {
      await sleep(Math.max(0, earliest - performance.now()))
      respond(error)
    }
    resolve(name).then(
      (addresses) => {
        const found = addresses.map((address) => ({ address, family: isIP(address) }))
        const [first] = found
        if (first === undefined || !addresses.every(isAllowed)) fail(noAddress())
        else if (options.all) respond(null, found)
        else respond(null, first.address, first.family)
      },
      (error: Error) => fail(error),
    )
  }
}

const noAddress = (): Error => Object.assign(new Error('no address'), { code: 'ENOTFOUND' })

/**
 * Throws ForbiddenAddress if the host of the URL is an IP address that is not allowed. Node.js does not call the lookup
 * function for IP addresses.
 */
export function assertAllowedLiteral(url: URL, isAllowed: (address: string) => boolean): void {
  const host = hostOf(url)
  if (isIP(host) !== 0 && !isAllowed(host))
    throw new ForbiddenAddress(`${host} is not an address that the server may connect to`)
}

export class ForbiddenAddress extends Error {
  readonly code = 'FORBIDDEN_ADDRESS'
}
