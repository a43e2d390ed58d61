import { duration } from '../../../components/time.tsx'
import type { EventInterval } from './use-event-counts.ts'

export interface HistogramProps {
  intervals: readonly EventInterval[]
  onRange(range: { from: string | undefined; to: string | undefined }): void
}

const withSeconds = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })
const withMinutes = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })

/** Formats a time range, such as `Nov 24, 2026, 8:00 – 9:00 AM`. */
export function rangeText(from: string, until: string): string {
  const [start, end] = [new Date(from), new Date(until)]
  const format = end.getTime() - start.getTime() < 120_000 ? withSeconds : withMinutes
  return format.formatRange(start, end)
}

export const durationOf = ({ from, until }: EventInterval): string => duration(Date.parse(until) - Date.parse(from))

export const countText = (count: number): string => (count === 1 ? '1 event' : `${count.toLocaleString()} events`)
