/** A pseudorandom number generator. The same seed produces the same numbers, so runs are reproducible. */
export interface Random {
  /** Returns an integer from 0 to `limit` - 1. */
  below(limit: number): number
  pick<Item>(items: readonly Item[]): Item
  /** Returns true with a probability of 1 in `count`. */
  oneIn(count: number): boolean
}

/** Implements mulberry32, with 32 bits of state and a period of 2³². */
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
