import { Code, List, Text, VisuallyHidden } from '@mantine/core'
import { InlineText, isLong, LongText } from '../../components/long-text.tsx'

interface Change {
  name: string
  old: unknown
  new: unknown
  context?: string
  service?: string
}

interface Service {
  id: string
  name: string
  host: string | null
  port: number | null
}

interface ServiceChange {
  id: string
  name: string
  changes: object
}

interface AttributeChange {
  context: string | null
  service?: { id: string; name: string }
  changes: object
}

export function ItemChanges({ changes }: { changes: Record<string, unknown> }) {
  if (changes.delete !== undefined) return <Text inherit>The device is deleted</Text>
  if (changes.register !== undefined) return <Text inherit>A new device is registered</Text>
  const list = changesOf(changes)
  if (list.length === 0) return null
  return (
    <List listStyleType="none" size="sm">
      {list.map((change) => (
        <List.Item key={`${change.key} ${change.context} ${change.name}`}>
          <b>{change.name}</b> {change.service === undefined ? null : `of the service ${change.service} `}
          {change.context === undefined ? null : (
            <>
              in <Code>{change.context}</Code>{' '}
            </>
          )}
          <Value value={change.old} /> <span aria-hidden="true">→</span>
          <VisuallyHidden>becomes</VisuallyHidden> <Value value={change.new} />
        </List.Item>
      ))}
    </List>
  )
}

const LINES = 2

function Value({ value }: { value: unknown }) {
  if (value === null || value === undefined)
    return (
      <Text span inherit c="dimmed">
        no value
      </Text>
    )
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return isLong(text, LINES) ? <LongText value={text} lines={LINES} /> : <InlineText value={text} />
}

function changesOf({ setAttributes, update, ...services }: Record<string, unknown>): (Change & { key?: string })[] {
  const contexts = listOf<AttributeChange>(setAttributes)
  return [
    ...entriesOf(update),
    ...contexts.flatMap(({ context, service, changes }) =>
      entriesOf(changes).map((change) => ({
        ...change,
        ...(context !== null && { context }),
        ...(service !== undefined && { service: service.name, key: service.id }),
      })),
    ),
    ...listOf<Service>(services.addService).map((service) => ({
      ...{ name: 'service', key: service.id, old: null, new: serviceText(service) },
    })),
    ...listOf<ServiceChange>(services.updateService).flatMap(({ id, name, changes }) =>
      entriesOf(changes).map((change) => ({ ...change, service: name, key: id })),
    ),
    ...listOf<Service>(services.removeService).map((service) => ({
      ...{ name: 'service', key: service.id, old: serviceText(service), new: null },
    })),
  ]
}

const listOf = <Item,>(value: unknown): Item[] => (Array.isArray(value) ? (value as Item[]) : [])

/** Returns a service's name with its host and port, if any, such as `web (gate:8443)`. */
function serviceText({ name, host, port }: Service): string {
  const place = [host, port].filter((part) => part != null).join(':')
  return place === '' ? name : `${name} (${place})`
}

const entriesOf = (changes: unknown): Change[] =>
  Object.entries((changes ?? {}) as Record<string, { old: unknown; new: unknown }>).map(([name, change]) => ({
    name,
    old: change.old,
    new: change.new,
  }))
