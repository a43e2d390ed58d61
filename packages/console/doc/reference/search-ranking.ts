import type { Entry } from './schema-index.ts'

/** Returns the entries that contain all words of the text, with the best matches first. */
export function searchEntries(entries: readonly Entry[], text: string): Entry[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return []
  return entries
    .map((entry) => ({ entry, rank: rankOf(entry, words) }))
    .filter(({ rank }) => rank < Number.POSITIVE_INFINITY)
    .sort((one, two) => one.rank - two.rank)
    .map(({ entry }) => entry)
}

const rankOf = (entry: Entry, words: readonly string[]): number =>
  Math.max(...words.map((word) => rankOfWord(entry, word)))

function rankOfWord({ name, label, anchor, description }: Entry, word: string): number {
  const lower = name.toLowerCase()
  // Rank fields before arguments, because the same argument names occur in many fields.
  const depth = anchor.split('.').length / 10
  if (lower === word || anchor.toLowerCase() === word) return depth
  if (lower.startsWith(word)) return 1 + depth
  if (lower.includes(word)) return 2 + depth
  if (label.toLowerCase().includes(word)) return 3 + depth
  if (description.toLowerCase().includes(word)) return 4 + depth
  return Number.POSITIVE_INFINITY
}
