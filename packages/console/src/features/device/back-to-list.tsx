import { IconChevronLeft } from '@tabler/icons-react'
import { defaultParseSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { RouterAnchor } from '../../app/links.tsx'

/** To the list as the person left it, with its filters and order. */
export function BackToList() {
  const [search] = useState(lastListSearch)
  return (
    <RouterAnchor to="/devices" search={search} size="sm" display="inline-flex" style={{ alignItems: 'center' }}>
      <IconChevronLeft size={14} aria-hidden="true" />
      Devices
    </RouterAnchor>
  )
}

/** The browser's history knows the list's address; where it cannot be asked, the list opens as it is by default. */
function lastListSearch(): Record<string, unknown> {
  if (!('navigation' in window)) return {}
  const { currentEntry } = window.navigation
  const before = window.navigation.entries().slice(0, currentEntry?.index ?? 0)
  const list = before.findLast(({ url }) => url !== null && new URL(url).pathname === '/devices')
  return list?.url == null ? {} : defaultParseSearch(new URL(list.url).search)
}
