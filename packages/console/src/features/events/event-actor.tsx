import { Text } from '@mantine/core'
import type { LoggedEvent } from './use-event-log.ts'

/** Who did it. */
export function EventActor({ event: { actor } }: { event: LoggedEvent }) {
  if (actor === null)
    return (
      <Text span inherit c="dimmed" style={{ whiteSpace: 'nowrap' }}>
        by itself
      </Text>
    )
  return (
    <Text span inherit title={actor.email} truncate display="block" maw={150}>
      {actor.email}
    </Text>
  )
}
