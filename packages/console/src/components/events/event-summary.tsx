import { Badge, Box, Group, Text, VisuallyHidden } from '@mantine/core'
import { labelOfName, useLabels } from '../../features/user-settings/labels.ts'
import { StateBadge } from '../state-badge.tsx'

interface EventSummaryProps {
  event: { type: string; state: string | null; data: Record<string, unknown> }
}

export function EventSummary({ event: { state, data } }: EventSummaryProps) {
  const changes = changesOf(data)
  return (
    <Group gap={6} align="flex-start">
      {state === null ? null : <StateBadge state={state} />}
      {typeof data.context === 'string' ? <Badge color="gray">in {data.context}</Badge> : null}
      {changes === undefined ? <Facts data={data} /> : <Changes changes={changes} />}
    </Group>
  )
}

interface Change {
  name: string
  old: unknown
  new: unknown
}

const SHOWN = 5

function Changes({ changes }: { changes: readonly Change[] }) {
  const labels = useLabels()
  return (
    <Box miw={0}>
      {changes.slice(0, SHOWN).map((change) => (
        // Position the hidden text relative to the line, so that a scrolling table clips the text.
        <Text key={change.name} inherit component="div" pos="relative" style={{ overflowWrap: 'anywhere' }}>
          <Text span inherit fw={500}>
            {labelOfName(change.name, labels)}
          </Text>
          : <Value value={change.old} />
          <span aria-hidden="true"> → </span>
          <VisuallyHidden> is now </VisuallyHidden>
          <Value value={change.new} />
        </Text>
      ))}
      {changes.length > SHOWN ? (
        <Text inherit c="dimmed">
          and {changes.length - SHOWN} more
        </Text>
      ) : null}
    </Box>
  )
}

const MAX_LENGTH = 80

function Value({ value }: { value: unknown }) {
  if (value === null || value === undefined || value === '')
    return (
      <Text span inherit c="dimmed" fs="italic">
        {value === '' ? 'empty' : 'none'}
      </Text>
    )
  return <span>{shorten(plainText(value))}</span>
}

const factNames: Record<string, string> = {
  accountId: 'other account',
  attributeNames: 'attribute names',
  hardwareId: 'hardware ID',
  readOnly: 'read-only',
  requireDigest: 'digest required',
  rateShare: 'share of the rate limit',
  isShared: 'shared',
  sortBy: 'sorted by',
  registrationCode: 'registration code',
  formerSecretUntil: 'old secret valid until',
  allow: 'can register again',
}

function Facts({ data }: { data: Record<string, unknown> }) {
  const facts = Object.entries(data).flatMap(([name, value]) => {
    // User agent strings are long, so they appear only in the event's details.
    if (name === 'agent') return []
    const text = factText(value)
    return text === undefined ? [] : [`${factNames[name] ?? name} ${text}`]
  })
  return (
    <Text span inherit style={{ overflowWrap: 'anywhere' }}>
      {facts.join(' · ')}
    </Text>
  )
}

function factText(value: unknown): string | undefined {
  if (value === null || value === undefined || value === '') return undefined
  if (value === true) return 'yes'
  if (value === false) return 'no'
  if (Array.isArray(value)) return value.length === 0 ? undefined : String(value.length)
  if (typeof value === 'object') {
    if ('old' in value && 'new' in value) return `${valueText(value.old)} → ${valueText(value.new)}`
    const entries = Object.entries(value)
    if (entries.length === 0) return undefined
    if (entries.some(([, count]) => typeof count !== 'number')) return String(entries.length)
    return countsText(entries.filter(([, count]) => count > 0))
  }
  return shorten(plainText(value))
}

/** Returns text such as `319 done, 2 skipped`, or `0` if there are no counts. */
const countsText = (counts: readonly [name: string, count: number][]): string =>
  counts.length === 0 ? '0' : counts.map(([name, count]) => `${count.toLocaleString()} ${name}`).join(', ')

const valueText = (value: unknown): string => (value === null || value === undefined ? 'none' : plainText(value))

const shorten = (text: string): string => (text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text)

const plainText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

export function changesOf(data: Record<string, unknown>): Change[] | undefined {
  const { changes } = data
  if (typeof changes !== 'object' || changes === null) return undefined
  return Object.entries(changes).map(([name, change]: [string, Partial<Change> | null]) => ({
    name,
    old: change?.old,
    new: change?.new,
  }))
}
