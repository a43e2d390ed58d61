import { networkOf } from '../lib/client-address.ts'

export interface ConnectionSlots {
  /**
   * Reserves a slot for an unauthenticated connection, and returns a function that releases the slot. Returns undefined
   * if the IPv4 address, or the /64 of the IPv6 address, has no free slot.
   */
  acquire(address: string): (() => void) | undefined
}

export function createConnectionSlots(perAddress: number): ConnectionSlots {
  const reserved = new Map<string, number>()
  return {
    acquire(address) {
      const network = networkOf(address)
      const count = reserved.get(network) ?? 0
      if (count >= perAddress) return undefined
      reserved.set(network, count + 1)
      let isReserved = true
      return () => {
        if (!isReserved) return
        isReserved = false
        const remaining = reserved.get(network)! - 1
        if (remaining === 0) reserved.delete(network)
        else reserved.set(network, remaining)
      }
    },
  }
}
