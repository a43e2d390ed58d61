import { Tooltip } from '@mantine/core'
import { type MouseEvent, type ReactNode, useEffect, useRef, useState } from 'react'

interface HintProps {
  /** Made when it is first wanted. */
  label(): string
  className?: string | undefined
  children: ReactNode
}

const AFTER_MS = 300

/** Says more on hover, as which browsers take a tap. Until then it is one element: a list has hundreds of these. */
export function Hint({ label, className, children }: HintProps) {
  const [target, setTarget] = useState<HTMLElement | null>(null)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  const open = ({ currentTarget }: MouseEvent<HTMLElement>): void => {
    clearTimeout(timer.current)
    timer.current = setTimeout(() => setTarget(currentTarget), AFTER_MS)
  }
  const close = (): void => {
    clearTimeout(timer.current)
    setTarget(null)
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: nothing is done, more is shown
    <span className={className} onMouseEnter={open} onMouseLeave={close}>
      {children}
      {target === null ? null : <Tooltip target={target} label={label()} opened withinPortal />}
    </span>
  )
}
