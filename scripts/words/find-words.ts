import { words } from './word-list.ts'

export interface Finding {
  line: number
  column: number
  found: string
  instead: string
}

const patterns = words.map(({ pattern, instead }) => ({ pattern: new RegExp(`\\b(?:${pattern})\\b`, 'gi'), instead }))

export function findWords(text: string): Finding[] {
  return text.split('\n').flatMap((content, index) => {
    const found = patterns.flatMap(({ pattern, instead }) =>
      [...content.matchAll(pattern)].map((match) => ({
        line: index + 1,
        column: match.index + 1,
        found: match[0],
        instead,
      })),
    )
    return found.sort((a, b) => a.column - b.column)
  })
}
