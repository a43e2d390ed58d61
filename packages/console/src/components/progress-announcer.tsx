import { VisuallyHidden } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'

const INTERVAL_MS = 10_000

interface ProgressAnnouncerProps {
  /** Undefined until there is something to announce. */
  text: string | undefined
  /** The component announces a new state immediately, and other changes to the text at most once per `INTERVAL_MS`. */
  state: string | undefined
}

/**
 * Announces the progress of work to screen readers. Render this component before the work begins, because screen
 * readers announce only changes to an element that they already know.
 */
export function ProgressAnnouncer({ text, state }: ProgressAnnouncerProps) {
  const [announced, setAnnounced] = useState('')
  const last = useRef<{ state: string | undefined; at: number }>({ state: undefined, at: 0 })
  useEffect(() => {
    if (text === undefined) return
    const announce = (): void => {
      last.current = { state, at: Date.now() }
      setAnnounced(text)
    }
    const wait = state === last.current.state ? last.current.at + INTERVAL_MS - Date.now() : 0
    const timer = setTimeout(announce, Math.max(0, wait))
    return () => clearTimeout(timer)
  }, [state, text])
  return <VisuallyHidden role="status">{announced}</VisuallyHidden>
}
