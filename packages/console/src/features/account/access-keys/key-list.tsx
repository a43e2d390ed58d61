import { Code, Group, Paper, Stack, Text } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { RouterAnchor } from '../../../app/links.tsx'
import { CopyButton } from '../../../components/copy-button.tsx'
import { ListRow, ListTable } from '../../../components/list-table.tsx'
import { Time } from '../../../components/time.tsx'
import { KeyBadges, KeyState } from './key-badges.tsx'
import { KeyMenu } from './key-menu.tsx'
import type { AccessKeyFieldsFragment } from './keys.generated.ts'

const columns = ['Name', 'Key', 'Access', 'Last used', 'Expires', 'Created', '']

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
    <ListRow>
      <KeyName accessKey={accessKey} />
      <KeyId accessKey={accessKey} />
      <KeyBadges accessKey={accessKey} />
      <Time value={lastUsed} />
      <Time value={expires} />
      <Time value={created} />
      <KeyMenu accessKey={accessKey} />
    </ListRow>
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
        <KeyBadges accessKey={accessKey} />
        <Text size="sm" c="dimmed">
          Last used <Time value={lastUsed} /> · expires <Time value={expires} /> · created <Time value={created} />
        </Text>
      </Stack>
    </Paper>
  )
}

function KeyName({ accessKey }: KeyProps) {
  const { key, name } = accessKey
  return (
    <Group gap="xs">
      <RouterAnchor to="/account/keys/$keyId" params={{ keyId: key }} inherit style={{ overflowWrap: 'anywhere' }}>
        {name ?? 'no name'}
      </RouterAnchor>
      <KeyState state={accessKey} />
    </Group>
  )
}

function KeyId({ accessKey: { key } }: KeyProps) {
  return (
    <Group gap={4} wrap="nowrap">
      <Code>{key}</Code>
      <CopyButton value={key} what="key ID" />
    </Group>
  )
}
