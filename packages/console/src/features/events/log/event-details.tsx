import { Code, Group, Stack, Table, Text } from '@mantine/core'
import { CopyButton } from '../../../components/copy-button.tsx'
import { changesOf } from '../../../components/events/event-summary.tsx'
import { LongText } from '../../../components/long-text.tsx'
import type { LoggedEvent } from './logged-event.ts'

export function EventDetails({ event: { id, data, target } }: { event: LoggedEvent }) {
  const changes = changesOf(data)
  return (
    <Stack gap="xs" p="xs">
      <Group gap="md">
        <Group gap={4}>
          <Text size="sm">Event</Text>
          <Code>{id}</Code>
          <CopyButton value={id} what="event ID" />
        </Group>
        {target.map((each) => (
          <Group gap={4} key={`${each.kind} ${each.id}`}>
            <Text size="sm">{kinds[each.kind] ?? each.kind}</Text>
            <Code>{each.id}</Code>
            <CopyButton value={each.id} what={`${kinds[each.kind] ?? each.kind} ID`} />
          </Group>
        ))}
        {changes !== undefined && typeof data.context === 'string' ? (
          <Text size="sm">
            in the context <Code>{data.context}</Code>
          </Text>
        ) : null}
      </Group>
      {changes === undefined ? (
        <Code block tabIndex={0} role="region" aria-label="Event data" mah={320} style={{ overflow: 'auto' }}>
          {JSON.stringify(data, null, 2)}
        </Code>
      ) : (
        <Table withTableBorder aria-label="Changes" layout="fixed">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Name</Table.Th>
              <Table.Th>Before</Table.Th>
              <Table.Th>After</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {changes.map((change) => (
              <Table.Tr key={change.name}>
                <Table.Td style={{ overflowWrap: 'anywhere' }}>{change.name}</Table.Td>
                <Table.Td>
                  <Value value={change.old} />
                </Table.Td>
                <Table.Td>
                  <Value value={change.new} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Stack>
  )
}

const kinds: Record<string, string> = { accessKey: 'access key', registrationCode: 'registration code' }

function Value({ value }: { value: unknown }) {
  if (value === null || value === undefined)
    return (
      <Text inherit c="dimmed" fs="italic">
        none
      </Text>
    )
  return <LongText value={typeof value === 'string' ? value : JSON.stringify(value)} />
}
