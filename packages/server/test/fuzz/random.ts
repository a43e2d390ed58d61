/** Numbers that look random and are the same for one seed: what a run did can be done again. */
export interface Random {
  /** From 0 up to, not including, `among`. */
  below(among: number): number
  pick<Item>(items: readonly Item[]): Item
  /** Whether it comes true this time, of so many. */
  oneIn(among: number): boolean
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
  const below = (among: number): number => Math.floor(next() * among)
  return {
    below,
    pick: (items) => items[below(items.length)]!,
    oneIn: (among) => below(among) === 0,
  }
}
