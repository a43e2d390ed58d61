import { ActionIcon, Badge, Code, Group, Menu, Table, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { IconDots, IconPencil, IconPlayerPause, IconPlayerPlay, IconTrash } from '@tabler/icons-react'
import { ConfirmDialog } from '../../../components/confirm-button.tsx'
import { CopyButton } from '../../../components/copy-button.tsx'
import { Time } from '../../../components/time.tsx'
import { errorText } from '../../../graphql/describe-error.ts'
import { useChange } from '../../../graphql/use-change.ts'
import { RenameDialog } from '../rename-dialog.tsx'
import {
  type AccessKeyFieldsFragment,
  DeleteAccessKeyDocument,
  RenameAccessKeyDocument,
  SetAccessKeyEnabledDocument,
} from './keys.generated.ts'

export function KeyRow({ accessKey }: { accessKey: AccessKeyFieldsFragment }) {
  const { key, name, enabled, created, lastUsed, expires } = accessKey
  return (
    <Table.Tr>
      <Table.Td>
        <Group gap="xs">
          <Text span inherit c={name === null ? 'dimmed' : undefined}>
            {name ?? 'no name'}
          </Text>
          <KeyState accessKey={accessKey} />
        </Group>
      </Table.Td>
      <Table.Td>
        <Group gap={4} wrap="nowrap">
          <Code>{key}</Code>
          <CopyButton value={key} what="key id" />
        </Group>
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
        <KeyMenu {...{ name: name ?? key, accessKey, enabled }} />
      </Table.Td>
    </Table.Tr>
  )
}

function KeyState({ accessKey: { enabled, expires } }: { accessKey: AccessKeyFieldsFragment }) {
  if (expires !== null && new Date(expires) <= new Date()) return <Badge color="gray">expired</Badge>
  return enabled ? null : <Badge color="orange">disabled</Badge>
}

function Permissions({ accessKey: { readOnly, requireDigest, algorithm } }: { accessKey: AccessKeyFieldsFragment }) {
  return (
    <Group gap={4}>
      <Badge color={readOnly ? 'gray' : 'indigo'}>{readOnly ? 'read only' : 'read and write'}</Badge>
      {requireDigest ? <Badge color="gray">digest required</Badge> : null}
      {algorithm === 'ed25519' ? <Badge color="gray">ed25519</Badge> : null}
    </Group>
  )
}

function KeyMenu({ name, accessKey }: { name: string; accessKey: AccessKeyFieldsFragment }) {
  const { key, enabled } = accessKey
  const [renaming, rename] = useDisclosure()
  const [deleting, remove] = useDisclosure()
  const switchKey = useChange(SetAccessKeyEnabledDocument)
  const renameKey = useChange(RenameAccessKeyDocument)
  const deleteKey = useChange(DeleteAccessKeyDocument, ['AccessKey'])
  const toggle = (): Promise<unknown> =>
    switchKey({ key, enabled: !enabled }).catch((error) =>
      notifications.show({ color: 'red', title: 'The key was not changed', message: errorText(error) }),
    )
  return (
    <>
      <Menu position="bottom-end" width={180}>
        <Menu.Target>
          <ActionIcon aria-label={`Change ${name}`}>
            <IconDots size={18} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconPencil size={16} />} onClick={rename.open}>
            Rename
          </Menu.Item>
          <Menu.Item
            leftSection={enabled ? <IconPlayerPause size={16} /> : <IconPlayerPlay size={16} />}
            onClick={toggle}
          >
            {enabled ? 'Disable' : 'Enable'}
          </Menu.Item>
          <Menu.Item color="red" leftSection={<IconTrash size={16} />} onClick={remove.open}>
            Delete
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <RenameDialog
        opened={renaming}
        onClose={rename.close}
        what="access key"
        name={accessKey.name}
        onRename={(given) => renameKey({ key, name: given })}
      />
      <ConfirmDialog
        opened={deleting}
        onClose={remove.close}
        title={`Delete ${name}?`}
        confirm="Delete key"
        danger
        onConfirm={() => deleteKey({ key })}
      >
        Within a second, requests signed with it are rejected and its streams end. This cannot be undone.
      </ConfirmDialog>
    </>
  )
}
