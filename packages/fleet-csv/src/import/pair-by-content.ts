export interface Pairs<Wanted, Found> {
  /** Pairs that `isSame` accepts, which need no change. */
  same: [Wanted, Found][]
  changed: [Wanted, Found][]
  added: Wanted[]
  /** Wanted items that could be new or could be changes to the found items that remain. */
  ambiguous: Wanted[]
}

/**
 * If `wanted` and `found` contain one item each, pairs these two. Otherwise, pairs the items that `isSame` accepts. The
 * wanted items that remain are new if no found item remains, and ambiguous otherwise.
 */
export function pairByContent<Wanted, Found>(
  wanted: readonly Wanted[],
  found: readonly Found[],
  isSame: (wanted: Wanted, found: Found) => boolean,
): Pairs<Wanted, Found> {
  const same: [Wanted, Found][] = []
  const left = [...found]
  const rest = wanted.filter((one) => {
    const index = left.findIndex((other) => isSame(one, other))
    if (index !== -1) same.push([one, left.splice(index, 1)[0]!])
    return index === -1
  })
  if (left.length === 0) return { same, changed: [], added: rest, ambiguous: [] }
  const [one] = rest
  const unique = wanted.length === 1 && found.length === 1
  if (unique && one !== undefined) return { same, changed: [[one, left[0]!]], added: [], ambiguous: [] }
  return { same, changed: [], added: [], ambiguous: rest }
}
