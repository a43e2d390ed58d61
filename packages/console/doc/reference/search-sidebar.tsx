import { ActionIcon, Button, Kbd, Text, TextInput } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { IconSearch, IconX } from '@tabler/icons-react'
import { type KeyboardEvent, useDeferredValue, useMemo, useRef, useState } from 'react'
import type { DocLocation } from '../location.ts'
import classes from './reference.module.css'
import { SearchResults } from './result-list.tsx'
import type { SchemaIndex } from './schema-index.ts'
import { searchEntries } from './search-ranking.ts'
import { TypeList } from './type-navigation.tsx'

export function Sidebar({ index, location }: { index: SchemaIndex; location: DocLocation }) {
  const [text, setText] = useState('')
  const [isOpen, setIsOpen] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  const list = useRef<HTMLDivElement>(null)
  const searched = useDeferredValue(text.trim())
  const found = useMemo(() => searchEntries(index.entries, searched), [index, searched])
  useHotkeys([['/', () => input.current?.focus()]])

  const links = (): HTMLAnchorElement[] => Array.from(list.current?.querySelectorAll('a') ?? [])
  const change = (next: string): void => {
    setText(next)
    setIsOpen(next !== '')
  }
  /** Opens the first result of a new search, because the list may still show results for earlier input. */
  const open = (): void => {
    const [first] = searchEntries(index.entries, text.trim())
    if (first === undefined) return
    window.location.hash = first.anchor
    setIsOpen(false)
  }
  const onInputKey = (event: KeyboardEvent): void => {
    if (event.key === 'ArrowDown') {
      event.preventDefault()
      links()[0]?.focus()
    }
    if (event.key === 'Enter') open()
    if (event.key === 'Escape') change('')
  }
  const onListKey = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step === undefined) return
    const all = links()
    const next = all.findIndex((link) => link.matches(':focus')) + step
    event.preventDefault()
    if (next < 0) input.current?.focus()
    else all[next]?.focus()
  }

  return (
    <nav className={classes.sidebar} aria-label="Schema">
      <div className={classes.search}>
        <TextInput
          ref={input}
          type="search"
          aria-label="Search the reference"
          placeholder="Search the reference"
          value={text}
          onChange={(event) => change(event.currentTarget.value)}
          onKeyDown={onInputKey}
          leftSection={<IconSearch size={16} />}
          rightSection={
            text === '' ? (
              <Kbd size="xs">/</Kbd>
            ) : (
              <ActionIcon size="sm" aria-label="Clear the search" onClick={() => change('')}>
                <IconX size={14} />
              </ActionIcon>
            )
          }
        />
        <Button
          className={classes.fold}
          variant="default"
          size="sm"
          aria-expanded={isOpen}
          onClick={() => setIsOpen((was) => !was)}
        >
          {isOpen ? 'Close' : 'Types'}
        </Button>
      </div>
      <Text className={classes.count} size="xs" c="dimmed" role="status">
        {searched === '' ? '' : found.length === 0 ? 'No results' : `${found.length} found`}
      </Text>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: Up and Down move between its links, which Tab reaches */}
      <div
        ref={list}
        className={classes.list}
        data-open={isOpen || undefined}
        onKeyDown={onListKey}
        onClick={(event) => event.target instanceof Element && event.target.closest('a') && setIsOpen(false)}
      >
        {searched === '' ? (
          <TypeList groups={index.groups} current={location.type} />
        ) : (
          <SearchResults found={found} searched={searched} current={location.anchor} />
        )}
      </div>
    </nav>
  )
}
