import { Badge, Button, Group, Modal, Stack, Text, Timeline } from '@mantine/core'
import { ErrorNotice } from '../../../components/error-notice.tsx'
import { Loading } from '../../../components/loading.tsx'
import { LongText } from '../../../components/long-text.tsx'
import { Time } from '../../../components/time.tsx'
import { EventActor } from '../../events/log/event-actor.tsx'
import type { AttributeChangeFragment } from './attribute-history.generated.ts'
import { useChanges } from './use-changes.ts'

interface AttributeHistoryProps {
  targetId: string
  /** Name of the attribute whose history is shown. Undefined while the dialog is closed. */
  name: string | undefined
  onClose(): void
}

export function AttributeHistory({ targetId, name, onClose }: AttributeHistoryProps) {
  return (
    <Modal opened={name !== undefined} onClose={onClose} title={`History of ${name ?? ''}`} size="lg">
      {name === undefined ? null : <ChangeList key={name} targetId={targetId} name={name} />}
    </Modal>
  )
}

function ChangeList({ targetId, name }: { targetId: string; name: string }) {
  const { changes, hasMore, isLoading, error, loadMore } = useChanges(targetId, name)
  return (
    <Stack gap="md">
      {changes === undefined ? (
        error === undefined && <Loading what="changes" />
      ) : changes.length === 0 ? (
        <Text c="dimmed">The event log contains no changes to this attribute.</Text>
      ) : (
        <Timeline role="list" aria-label={`Changes to ${name}`} bulletSize={14} lineWidth={2}>
          {changes.map((change) => (
            <Timeline.Item key={`${change.eventId} ${change.name}`} role="listitem">
              <Change change={change} />
            </Timeline.Item>
          ))}
        </Timeline>
      )}
      <ErrorNotice error={error} title="The changes could not be loaded" onRetry={loadMore} />
      {hasMore ? (
        <Group justify="center">
          <Button variant="default" onClick={loadMore} loading={isLoading}>
            Load older changes
          </Button>
        </Group>
      ) : null}
    </Stack>
  )
}

function Change({ change: { at, context, old, new: value, source } }: { change: AttributeChangeFragment }) {
  return (
    <Stack gap={2} fz="sm">
      <Group gap="xs" c="dimmed" fz="xs">
        <Time value={at} format="local" />
        {context === null ? null : <Badge color="indigo">in “{context}”</Badge>}
      </Group>
      {value === null ? <Text inherit>Removed</Text> : <LongText value={value} />}
      {old === null ? null : (
        <Group gap={4} c="dimmed" fz="xs" wrap="nowrap" align="flex-start">
          <span>before:</span>
          <LongText value={old} />
        </Group>
      )}
      <EventActor event={{ actor: source.user, source }} />
    </Stack>
  )
}
