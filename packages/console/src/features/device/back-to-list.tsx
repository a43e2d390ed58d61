import { defaultParseSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { inAccount } from '../../app/account-path.ts'
import { BackLink } from '../../app/links.tsx'

export function BackToList() {
  const [search] = useState(lastListSearch)
  return (
    <BackLink to="/devices" search={search}>
      Devices
    </BackLink>
  )
}

function lastListSearch(): Record<string, unknown> {
  if (!('navigation' in window)) return {}
  const { currentEntry } = window.navigation
  const before = window.navigation.entries().slice(0, currentEntry?.index ?? 0)
  const list = before.findLast(({ url }) => url !== null && new URL(url).pathname === inAccount('/devices'))
  return list?.url == null ? {} : defaultParseSearch(new URL(list.url).search)
}
