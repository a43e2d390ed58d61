import { performance } from 'node:perf_hooks'
import { boundedMap } from '../lib/bounded-map.ts'
import { networkOf } from '../lib/client-address.ts'

const ALLOWED = 20
const WINDOW_MS = 60_000
const ADDRESSES = 50_000
const KEYS = 50_000
const PAIRS = 50_000
/** How long the server remembers that a network has sent a valid signature with a key, in milliseconds. */
const PAIR_MS = 3_600_000

/**
 * Counts failed authentication attempts in this process. An IPv6 address counts as its /64 network. An address must
 * wait after 20 failures in a minute, or if it has no quota left. Many clients can share an address. A key therefore
 * has a separate limit of 20 failures a minute at an address from which it has signed correctly within the last hour.
 * Failures elsewhere never block a key, because key IDs are not secret.
 */
export interface FailedAuthentication {
  /** Returns how many seconds the address must wait before it may try this key, or undefined if it may try now. */
  wait(address: string, key: string | undefined): number | undefined
  /**
   * Counts a failure. Returns the seconds to wait if the address, or a key across all addresses, has more than 20
   * failures in a minute. Otherwise, returns undefined.
   */
  count(address: string, ...keys: (string | undefined)[]): number | undefined
  verified(address: string, key: string): void
}

interface Window {
  count: number
  readonly ends: number
}

interface Pair {
  readonly verifiedAt: number
  failures: Window | undefined
}

/** `quotaWait` returns the number of seconds until a network has quota left, or 0 if it has quota now. */
export function createFailedAuthentication(
  now: () => number = () => performance.now(),
  quotaWait: (network: string) => number = () => 0,
): FailedAuthentication {
  const byAddress = boundedMap<string, Window>(ADDRESSES)
  const byKey = boundedMap<string, Window>(KEYS)
  const pairs = boundedMap<string, Pair>(PAIRS)

  const isOpen = (window: Window | undefined): window is Window => window !== undefined && window.ends > now()

  const increment = (window: Window | undefined): Window => {
    const counted = isOpen(window) ? window : { count: 0, ends: now() + WINDOW_MS }
    counted.count++
    return counted
  }

  const countIn = (windows: typeof byAddress, name: string): number => {
    const window = increment(windows.get(name))
    windows.set(name, window)
    return window.count > ALLOWED ? secondsLeft(window) : 0
  }

  const secondsLeft = ({ ends }: Window): number => Math.max(1, Math.ceil((ends - now()) / 1_000))

  const waitFor = (window: Window | undefined): number =>
    isOpen(window) && window.count >= ALLOWED ? secondsLeft(window) : 0

  const findPair = (network: string, key: string | undefined): Pair | undefined => {
    const pair = key === undefined ? undefined : pairs.get(`${network} ${key}`)
    return pair !== undefined && now() - pair.verifiedAt < PAIR_MS ? pair : undefined
  }

  return {
    wait(address, key) {
      const network = networkOf(address)
      const seconds = Math.max(waitFor(byAddress.get(network)), quotaWait(network))
      if (seconds === 0) return undefined
      const pair = findPair(network, key)
      return pair !== undefined && waitFor(pair.failures) === 0 ? undefined : seconds
    },
    count(address, ...keys) {
      const network = networkOf(address)
      let seconds = countIn(byAddress, network)
      for (const key of keys) {
        if (key === undefined) continue
        seconds = Math.max(seconds, countIn(byKey, key))
        const pair = findPair(network, key)
        if (pair !== undefined) pair.failures = increment(pair.failures)
      }
      return seconds === 0 ? undefined : seconds
    },
    verified(address, key) {
      const name = `${networkOf(address)} ${key}`
      const pair = pairs.get(name)
      const at = now()
      // Update the time at most once a minute, so that requests with a busy key rarely write to the map.
      if (pair === undefined || at - pair.verifiedAt >= WINDOW_MS)
        pairs.set(name, { verifiedAt: at, failures: pair?.failures })
    },
  }
}
