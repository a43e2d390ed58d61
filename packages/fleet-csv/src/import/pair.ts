export interface Pairs<Wanted, Found> {
  /** Nothing to do. */
  same: [Wanted, Found][]
  changed: [Wanted, Found][]
  added: Wanted[]
  /** More than one could be meant. */
  ambiguous: Wanted[]
}

/**
 * Pairs what is wanted with what there is, all of one name. Where the name is unique on both sides the two belong
 * together. Where it is not, equals belong together, and what is left over is new only if nothing else is left to be it.
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
