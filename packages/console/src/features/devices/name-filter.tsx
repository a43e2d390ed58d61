import { TextInput } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { useEffect, useRef, useState } from 'react'

interface NameFilterProps {
  name: string | undefined
  /** Whether rows of another filter or order are on their way. */
  isBusy: boolean
  onChange(name: string | undefined, options: { replace: boolean }): void
}

const AFTER_TYPING_MS = 120

/**
 * Takes effect with each key as long as answers keep up; else when the answer is there or typing pauses. Follows the
 * address when that changes otherwise.
 */
export function NameFilter({ name, isBusy, onChange }: NameFilterProps) {
  const [typed, setTyped] = useState(name ?? '')
  /** What was typed and has not come to the address yet. */
  const onItsWay = useRef<(string | undefined)[]>([])

  const [known, setKnown] = useState(name)
  if (known !== name) {
    setKnown(name)
    if (!onItsWay.current.includes(name)) setTyped(name ?? '')
  }
  useEffect(() => {
    const place = onItsWay.current.lastIndexOf(name)
    onItsWay.current.splice(0, place < 0 ? Number.POSITIVE_INFINITY : place + 1)
  }, [name])
  // biome-ignore lint/correctness/useExhaustiveDependencies: typing and answers alone let it take effect
  useEffect(() => {
    const before = onItsWay.current.length > 0 ? onItsWay.current.at(-1) : name
    const next = typed === '' ? undefined : typed
    if (next === before) return
    const takeEffect = (): void => {
      onItsWay.current.push(next)
      onChange(next, { replace: next !== undefined && before !== undefined })
    }
    if (!isBusy) return takeEffect()
    const timer = setTimeout(takeEffect, AFTER_TYPING_MS)
    return () => clearTimeout(timer)
  }, [typed, isBusy])
  return (
    <TextInput
      type="search"
      aria-label="Part of the name"
      placeholder="Part of the name"
      leftSection={<IconSearch size={14} aria-hidden="true" />}
      value={typed}
      onChange={(event) => setTyped(event.currentTarget.value)}
      w={200}
    />
  )
}
