import { TextInput } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { useEffect, useRef, useState } from 'react'

interface NameFilterProps {
  name: string | undefined
  /** Whether the rows of a new filter or sort order are loading. */
  isBusy: boolean
  onChange(name: string | undefined, options: { replace: boolean }): void
}

const TYPING_DELAY_MS = 120

/**
 * Applies each keystroke immediately if no rows are loading, and otherwise when the rows arrive or the user pauses.
 * Updates its value when the URL changes for another reason.
 */
export function NameFilter({ name, isBusy, onChange }: NameFilterProps) {
  const [typed, setTyped] = useState(name ?? '')
  /** Applied values that the URL does not contain yet. */
  const pendingNames = useRef<(string | undefined)[]>([])

  const [known, setKnown] = useState(name)
  if (known !== name) {
    setKnown(name)
    if (!pendingNames.current.includes(name)) setTyped(name ?? '')
  }
  useEffect(() => {
    const index = pendingNames.current.lastIndexOf(name)
    pendingNames.current.splice(0, index < 0 ? Number.POSITIVE_INFINITY : index + 1)
  }, [name])
  // biome-ignore lint/correctness/useExhaustiveDependencies: only typing and arriving rows apply the filter
  useEffect(() => {
    const before = pendingNames.current.length > 0 ? pendingNames.current.at(-1) : name
    const next = typed === '' ? undefined : typed
    if (next === before) return
    const apply = (): void => {
      pendingNames.current.push(next)
      onChange(next, { replace: next !== undefined && before !== undefined })
    }
    if (!isBusy) return apply()
    const timer = setTimeout(apply, TYPING_DELAY_MS)
    return () => clearTimeout(timer)
  }, [typed, isBusy])
  return (
    <TextInput
      type="search"
      aria-label="Filter by name"
      placeholder="Filter by name"
      leftSection={<IconSearch size={14} aria-hidden="true" />}
      value={typed}
      onChange={(event) => setTyped(event.currentTarget.value)}
      w={200}
    />
  )
}
