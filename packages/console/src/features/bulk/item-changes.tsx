import { Code, Group, List, Text, VisuallyHidden } from '@mantine/core'
import { LongText } from '../../components/long-text.tsx'

interface Change {
  name: string
  old: unknown
  new: unknown
  context?: string
}

/** Shows the old and new values of a device, one line each. */
export function ItemChanges({ changes }: { changes: Record<string, unknown> }) {
  if (changes.delete !== undefined) return <Text inherit>The device is deleted</Text>
  if (changes.register !== undefined) return <Text inherit>A new device is registered</Text>
  const list = changesOf(changes)
  if (list.length === 0) return null
  return (
    <List listStyleType="none" size="sm">
      {list.map((change) => (
        <List.Item key={`${change.context} ${change.name}`}>
          <Group gap={6} wrap="wrap" align="baseline">
            <b>{change.name}</b>
            {change.context === undefined ? null : (
              <span>
                in <Code>{change.context}</Code>
              </span>
            )}
            <Value value={change.old} />
            <span aria-hidden="true">→</span>
            <VisuallyHidden>becomes</VisuallyHidden>
            <Value value={change.new} />
          </Group>
        </List.Item>
      ))}
    </List>
  )
}

function Value({ value }: { value: unknown }) {
  if (value === null || value === undefined)
    return (
      <Text span inherit c="dimmed">
        no value
      </Text>
    )
  return <LongText value={typeof value === 'string' ? value : JSON.stringify(value)} lines={2} />
}

function changesOf({ setAttributes, update }: Record<string, unknown>): Change[] {
  const contexts = Array.isArray(setAttributes) ? (setAttributes as { context: string | null; changes: object }[]) : []
  return [
    ...entriesOf(update),
    ...contexts.flatMap(({ context, changes }) =>
      entriesOf(changes).map((change) => (context === null ? change : { ...change, context })),
    ),
  ]
}

const entriesOf = (changes: unknown): Change[] =>
  Object.entries((changes ?? {}) as Record<string, { old: unknown; new: unknown }>).map(([name, change]) => ({
    name,
    old: change.old,
    new: change.new,
  }))
