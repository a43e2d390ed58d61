/**
 * Returns the candidate that differs from the name by the fewest edits, ignoring case. Returns undefined if every
 * candidate differs by too many edits. The maximum number of edits is a third of the name's length, rounded, but at
 * least 1 and at most 3.
 */
export function closestName(name: string, candidates: Iterable<string>): string | undefined {
  const lower = name.toLowerCase()
  let most = Math.min(3, Math.max(1, Math.round(name.length / 3)))
  let closest: string | undefined
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - name.length) > most) continue
    const other = candidate.toLowerCase()
    if (other === lower) return candidate
    const distance = editDistance(lower, other, most)
    if (distance > most || (closest !== undefined && distance === most)) continue
    closest = candidate
    most = distance
  }
  return closest
}

/**
 * Returns the number of edits, or a number above `most` if the words differ too much. Computes only table cells near
 * the diagonal and stops early, because an account can have thousands of names.
 */
function editDistance(a: string, b: string, most: number): number {
  const beyond = most + 1
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const current: number[] = new Array(b.length + 1).fill(beyond)
    if (i <= most) current[0] = i
    let smallest = current[0]!
    for (let j = Math.max(1, i - most); j <= Math.min(b.length, i + most); j++) {
      const replaced = last[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      let distance = Math.min(replaced, last[j]! + 1, current[j - 1]! + 1)
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      if (isSwapped) distance = Math.min(distance, beforeLast[j - 2]! + 1)
      current[j] = distance
      smallest = Math.min(smallest, distance)
    }
    if (smallest > most) return beyond
    beforeLast = last
    last = current
  }
  return last[b.length]!
}
