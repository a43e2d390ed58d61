import { networkOf } from '../lib/client-address.ts'

/** Connections that have not signed on yet, a bounded number for each address. */
export interface SignOnPlaces {
  /** Takes a place and returns what gives it back; undefined when all of the address are taken. */
  take(address: string): (() => void) | undefined
}

export function createSignOnPlaces(each: number): SignOnPlaces {
  const taken = new Map<string, number>()
  return {
    take(address) {
      const network = networkOf(address)
      const before = taken.get(network) ?? 0
      if (before >= each) return undefined
      taken.set(network, before + 1)
      let isTaken = true
      return () => {
        if (!isTaken) return
        isTaken = false
        const count = taken.get(network)! - 1
        if (count === 0) taken.delete(network)
        else taken.set(network, count)
      }
    },
  }
}
