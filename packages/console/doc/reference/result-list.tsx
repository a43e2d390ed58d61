import { Mark, Text } from '@mantine/core'
import type { Entry } from './schema-index.ts'

const SHOWN = 60

interface SearchResultsProps {
  found: readonly Entry[]
  searched: string
  current: string
}

export function SearchResults({ found, searched, current }: SearchResultsProps) {
  const first = searched.split(/\s+/, 1)[0] ?? ''
  if (found.length === 0)
    return (
      <Text size="sm" c="dimmed" px="sm">
        Nothing in the schema contains all of these words. Try fewer words, or part of a word.
      </Text>
    )
  return (
    <>
      <ul>
        {found.slice(0, SHOWN).map(({ anchor, label, kind, description }) => (
          <li key={anchor}>
            <a href={`#${anchor}`} aria-current={anchor === current ? 'page' : undefined}>
              <Marked text={label} word={first} />
              <Text span display="block" size="xs" c="dimmed" truncate>
                {kind}
                {description === '' ? '' : ` · ${description}`}
              </Text>
            </a>
          </li>
        ))}
      </ul>
      {found.length > SHOWN ? (
        <Text size="xs" c="dimmed" px="sm" pt="xs">
          {SHOWN} of {found.length} results shown. Add a word to narrow the search.
        </Text>
      ) : null}
    </>
  )
}

function Marked({ text, word }: { text: string; word: string }) {
  const start = text.toLowerCase().indexOf(word.toLowerCase())
  if (start < 0) return text
  const end = start + word.length
  return (
    <>
      {text.slice(0, start)}
      <Mark>{text.slice(start, end)}</Mark>
      {text.slice(end)}
    </>
  )
}
