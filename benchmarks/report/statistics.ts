/** Returns the value below which the fraction `part` of the values falls, or NaN for an empty list. */
export function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}

export interface Spread {
  median: number
  min: number
  max: number
}

export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((one, other) => one - other)
  const middle = (sorted.length - 1) / 2
  const median = (sorted[Math.floor(middle)]! + sorted[Math.ceil(middle)]!) / 2
  return { median, min: sorted[0]!, max: sorted.at(-1)! }
}
