/** Pseudorandom numbers. The same seed gives the same numbers, so that a run can be repeated. */
export interface Random {
  /** A whole number from 0 to `limit` - 1. */
  below(limit: number): number
  pick<Item>(items: readonly Item[]): Item
  /** True with a probability of 1 in `count`. */
  oneIn(count: number): boolean
}

/** mulberry32: 32 bits of state, no cycles shorter than 2³². */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number): number => Math.floor(next() * limit)
  return {
    below,
    pick: (items) => items[below(items.length)]!,
    oneIn: (count) => below(count) === 0,
  }
}
