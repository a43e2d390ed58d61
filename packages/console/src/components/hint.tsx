import { Tooltip } from '@mantine/core'
import { type MouseEvent, type ReactNode, useEffect, useRef, useState } from 'react'

interface HintProps {
  /** Returns the text of the hint. Called only while the hint is open. */
  label(): string
  className?: string | undefined
  children: ReactNode
}

const OPEN_DELAY_MS = 300

/**
 * Shows a tooltip while the pointer is over the children. Adds only one element around the children until the tooltip
 * opens, because a list can contain hundreds of hints.
 */
export function Hint({ label, className, children }: HintProps) {
  const [target, setTarget] = useState<HTMLElement | null>(null)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  const open = ({ currentTarget }: MouseEvent<HTMLElement>): void => {
    clearTimeout(timer.current)
    timer.current = setTimeout(() => setTarget(currentTarget), OPEN_DELAY_MS)
  }
  const close = (): void => {
    clearTimeout(timer.current)
    setTarget(null)
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: hovering only shows additional information
    <span className={className} onMouseEnter={open} onMouseLeave={close}>
      {children}
      {target === null ? null : <Tooltip target={target} label={label()} opened withinPortal />}
    </span>
  )
}
