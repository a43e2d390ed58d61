import { Badge, Code, Group, Paper, Stack, Table, Text } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { CopyButton } from '../../../components/copy-button.tsx'
import { ListTable } from '../../../components/list-table.tsx'
import { Time } from '../../../components/time.tsx'
import { KeyMenu } from './key-menu.tsx'
import type { AccessKeyFieldsFragment } from './keys.generated.ts'

const columns = ['Name', 'Key', 'Permissions', 'Last used', 'Expires', 'Created', '']

/** Shows the keys in a table or, on narrow screens, as cards. */
export function KeyList({ keys }: { keys: readonly AccessKeyFieldsFragment[] }) {
  const isNarrow = useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false })
  if (isNarrow)
    return (
      <Stack component="ul" gap="xs" p={0} m={0} aria-label="Access keys" style={{ listStyle: 'none' }}>
        {keys.map((key) => (
          <KeyCard key={key.key} accessKey={key} />
        ))}
      </Stack>
    )
  return (
    <ListTable label="Access keys" columns={columns} minWidth={760}>
      {keys.map((key) => (
        <KeyRow key={key.key} accessKey={key} />
      ))}
    </ListTable>
  )
}

interface KeyProps {
  accessKey: AccessKeyFieldsFragment
}

function KeyRow({ accessKey }: KeyProps) {
  const { lastUsed, expires, created } = accessKey
  return (
    <Table.Tr>
      <Table.Td>
        <KeyName accessKey={accessKey} />
      </Table.Td>
      <Table.Td>
        <KeyId accessKey={accessKey} />
      </Table.Td>
      <Table.Td>
        <Permissions accessKey={accessKey} />
      </Table.Td>
      <Table.Td>
        <Time value={lastUsed} />
      </Table.Td>
      <Table.Td>
        <Time value={expires} />
      </Table.Td>
      <Table.Td>
        <Time value={created} />
      </Table.Td>
      <Table.Td>
        <KeyMenu accessKey={accessKey} />
      </Table.Td>
    </Table.Tr>
  )
}

function KeyCard({ accessKey }: KeyProps) {
  const { lastUsed, expires, created } = accessKey
  return (
    <Paper withBorder p="sm" component="li">
      <Stack gap={6}>
        <Group justify="space-between" wrap="nowrap" align="flex-start">
          <KeyName accessKey={accessKey} />
          <KeyMenu accessKey={accessKey} />
        </Group>
        <KeyId accessKey={accessKey} />
        <Permissions accessKey={accessKey} />
        <Text size="sm" c="dimmed">
          Last used <Time value={lastUsed} /> · expires <Time value={expires} /> · created <Time value={created} />
        </Text>
      </Stack>
    </Paper>
  )
}

function KeyName({ accessKey: { name, enabled, expires } }: KeyProps) {
  return (
    <Group gap="xs">
      <Text span inherit c={name === null ? 'dimmed' : undefined} style={{ overflowWrap: 'anywhere' }}>
        {name ?? 'no name'}
      </Text>
      <KeyState {...{ enabled, expires }} />
    </Group>
  )
}

function KeyState({ enabled, expires }: Pick<AccessKeyFieldsFragment, 'enabled' | 'expires'>) {
  if (expires !== null && new Date(expires) <= new Date()) return <Badge color="gray">expired</Badge>
  return enabled ? null : <Badge color="orange">disabled</Badge>
}

function KeyId({ accessKey: { key } }: KeyProps) {
  return (
    <Group gap={4} wrap="nowrap">
      <Code>{key}</Code>
      <CopyButton value={key} what="key ID" />
    </Group>
  )
}

function Permissions({ accessKey: { readOnly, requireDigest, algorithm } }: KeyProps) {
  return (
    <Group gap={4}>
      <Badge color={readOnly ? 'gray' : 'indigo'}>{readOnly ? 'read only' : 'read and write'}</Badge>
      {requireDigest ? <Badge color="gray">digest required</Badge> : null}
      {algorithm === 'ed25519' ? <Badge color="gray">ed25519</Badge> : null}
    </Group>
  )
}
