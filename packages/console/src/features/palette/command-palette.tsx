import '@mantine/spotlight/styles.css'
import { useDebouncedValue } from '@mantine/hooks'
import { Spotlight, type SpotlightActionData, type SpotlightActionGroupData, spotlight } from '@mantine/spotlight'
import { IconSearch } from '@tabler/icons-react'
import { useNavigate, useRouter } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useQuery } from 'urql'
import { quoteText } from '../devices/devices-search.ts'
import { viewLists } from '../views/view-lists.ts'
import { PaletteDevicesDocument, PaletteViewsDocument } from './palette.generated.ts'
import { palettePages } from './palette-pages.ts'

interface CommandPaletteProps {
  /** Increases each time the user opens the palette. */
  opened: number
}

const TYPING_DELAY_MS = 120

export function CommandPalette({ opened }: CommandPaletteProps) {
  const [typed, setTyped] = useState('')
  const navigate = useNavigate()
  const router = useRouter()
  useEffect(() => {
    if (opened > 0) spotlight.open()
  }, [opened])
  // Close the palette when the user goes back or forward in the browser's history.
  useEffect(() => router.subscribe('onBeforeLoad', ({ hrefChanged }) => hrefChanged && spotlight.close()), [router])
  const [word] = useDebouncedValue(typed.trim(), TYPING_DELAY_MS)
  const [{ data: found }] = useQuery({
    query: PaletteDevicesDocument,
    // Quote the input, so that the server searches for it as one word instead of parsing it as a filter.
    variables: { where: quoteText(word) },
    pause: word === '',
    requestPolicy: 'cache-and-network',
  })
  const [{ data: saved }] = useQuery({ query: PaletteViewsDocument, requestPolicy: 'cache-and-network' })

  const devices = word === '' || word !== typed.trim() ? [] : (found?.login?.devices.items ?? [])
  const groups: SpotlightActionGroupData[] = [
    {
      group: 'Pages',
      actions: matching(palettePages, typed, ({ label }) => label).map(
        ({ to, label }): SpotlightActionData => ({ id: to, label, onClick: () => void navigate({ to }) }),
      ),
    },
    {
      group: 'Views',
      actions: matching(saved?.login?.views ?? [], typed, ({ name }) => name).map(({ id, name, kind }) => ({
        id,
        label: name,
        description: viewLists[kind].what,
        onClick: () => void navigate({ to: viewLists[kind].to, search: { view: id } }),
      })),
    },
    {
      group: 'Devices',
      actions: devices.map(({ id, name, state }) => ({
        id,
        label: name,
        description: state,
        onClick: () => void navigate({ to: '/devices/$deviceId', params: { deviceId: id } }),
      })),
    },
  ]
  return (
    <Spotlight
      actions={groups.filter(({ actions }) => actions.length > 0)}
      query={typed}
      onQueryChange={setTyped}
      // Show all actions, because the server and the code above have already filtered them.
      filter={(_query, actions) => actions}
      nothingFound="Nothing found"
      shortcut={null}
      scrollable
      maxHeight={420}
      searchProps={{
        leftSection: <IconSearch size={18} aria-hidden="true" />,
        placeholder: 'Open a page, view, or device',
        'aria-label': 'Open a page, view, or device',
      }}
    />
  )
}

/** Returns the items whose name contains the input (case-insensitive), with names that begin with the input first. */
function matching<Item>(items: readonly Item[], typed: string, nameOf: (item: Item) => string): Item[] {
  const part = typed.trim().toLowerCase()
  const placeOf = (item: Item): number => nameOf(item).toLowerCase().indexOf(part)
  const found = items.filter((item) => placeOf(item) >= 0)
  return [...found.filter((item) => placeOf(item) === 0), ...found.filter((item) => placeOf(item) > 0)]
}
