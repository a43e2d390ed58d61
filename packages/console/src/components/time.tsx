import { useSyncExternalStore } from 'react'
import { Hint } from './hint.tsx'
import classes from './time.module.css'

interface TimeProps {
  value: string | null | undefined
  /** Text to show if there is no value. Default: `never`. */
  none?: string
  /**
   * `relative`, the default, shows text such as "3 min ago", or the date if the time is more than 30 days away. `local`
   * shows the date and time, and `clock` shows only the time.
   */
  format?: 'relative' | 'local' | 'clock'
}

export function Time({ value, none = 'never', format = 'relative' }: TimeProps) {
  const now = useNow()
  if (value === null || value === undefined) return <span className={classes.dimmed}>{none}</span>
  const date = new Date(value)
  return (
    <Hint className={classes.time} label={() => exactTime(date)}>
      <time dateTime={value}>
        {format === 'relative' ? relativeTime(date, now) : (format === 'clock' ? clock : local).format(date)}
      </time>
    </Hint>
  )
}

export function Since({ value }: { value: string | null | undefined }) {
  const now = useNow()
  if (value === null || value === undefined) return null
  const date = new Date(value)
  return (
    <Hint className={dimmedTime} label={() => `since ${exactTime(date)}`}>
      <time dateTime={value}>{duration(now - date.getTime())}</time>
    </Hint>
  )
}

const dimmedTime = `${classes.time} ${classes.dimmed}`

const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' })
const local = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' })
const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' })

export const exactTime = (date: Date): string => `${exact.format(date)} · ${date.toISOString()}`

export const localTime = (date: Date): string => local.format(date)

const units: [unit: string, ms: number][] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
]

export function duration(ms: number): string {
  const [unit, size] = units.find(([, size]) => Math.abs(ms) >= size) ?? ['s', 1000]
  return `${Math.floor(Math.abs(ms) / size)} ${unit}`
}

/** Rounds future times up slightly, so that a time seven days ahead does not become "in 6 d" after a second. */
const FUTURE_ROUNDING = 1.02

export function relativeTime(date: Date, now: number): string {
  const ms = now - date.getTime()
  if (Math.abs(ms) > 30 * 86_400_000) return day.format(date)
  if (Math.abs(ms) < 5000) return 'just now'
  return ms > 0 ? `${duration(ms)} ago` : `in ${duration(ms * FUTURE_ROUNDING)}`
}

/** All times on the page share one timer, because a page can show hundreds of them. */
const watchers = new Set<() => void>()
let current = Date.now()
let timer: ReturnType<typeof setInterval> | undefined

function watch(changed: () => void): () => void {
  watchers.add(changed)
  if (timer === undefined) {
    // Update the stored time, which may have become outdated while the timer was stopped.
    current = Date.now()
    timer = setInterval(tick, 5000)
  }
  return () => {
    watchers.delete(changed)
    if (watchers.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

function tick(): void {
  current = Date.now()
  for (const changed of watchers) changed()
}

const useNow = (): number => useSyncExternalStore(watch, () => current)
