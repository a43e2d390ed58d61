import { isIPv6 } from 'node:net'
import { performance } from 'node:perf_hooks'
import { boundedMap } from './bounded-map.ts'

const ALLOWED = 20
const WINDOW_MS = 60_000
const ADDRESSES = 50_000
const KEYS = 50_000

export interface FailedSignatures {
  /** Counts a failure, for each key that was named; above 20 a minute for the address or one of them, the seconds after which to come back. */
  count(address: string, ...keys: (string | undefined)[]): number | undefined
}

interface Window {
  count: number
  readonly ends: number
}

/** Failures in this process. They only slow down whoever fails: a good signature is never asked about. */
export function createFailedSignatures(now: () => number = () => performance.now()): FailedSignatures {
  const byAddress = boundedMap<string, Window>(ADDRESSES)
  const byKey = boundedMap<string, Window>(KEYS)

  const countIn = (windows: typeof byAddress, name: string): number => {
    let window = windows.get(name)
    if (window === undefined || window.ends <= now()) {
      window = { count: 0, ends: now() + WINDOW_MS }
      windows.set(name, window)
    }
    window.count++
    return window.count > ALLOWED ? Math.ceil((window.ends - now()) / 1_000) : 0
  }

  return {
    count(address, ...keys) {
      const named = keys.filter((key) => key !== undefined)
      const seconds = Math.max(countIn(byAddress, networkOf(address)), ...named.map((key) => countIn(byKey, key)))
      return seconds === 0 ? undefined : seconds
    },
  }
}

/** One customer has at least a /64 of IPv6 (RFC 6177 §2), so its addresses count as one. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address
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
