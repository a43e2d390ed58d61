import { Text } from '@mantine/core'
import type { LoggedEvent } from './logged-event.ts'

type Origin = Pick<LoggedEvent, 'actor' | 'source'>

function sourceLabel({ source }: Pick<LoggedEvent, 'source'>): string {
  if (source.kind === 'accessKey') return `key ${source.name ?? source.id}`
  if (source.kind === 'job') return `bulk job ${source.name ?? source.id}`
  return { console: 'console', device: 'the device', server: 'the server' }[source.kind] ?? ''
}

export function EventActor({ event }: { event: Origin }) {
  const source = sourceLabel(event)
  if (event.actor === null)
    return (
      <Text span inherit c="dimmed" style={{ whiteSpace: 'nowrap' }}>
        {source === '' ? 'the device or the server' : source}
      </Text>
    )
  return (
    <Text span inherit title={`${event.actor.email}, ${source}`} display="block" maw={200}>
      <Text span inherit truncate display="block">
        {event.actor.email}
      </Text>
      <Text span size="xs" c="dimmed" truncate display="block">
        {source}
      </Text>
    </Text>
  )
}
