import { ActionIcon, Menu } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { IconDots, IconPencil, IconPlayerPause, IconPlayerPlay, IconTrash } from '@tabler/icons-react'
import { ConfirmDialog } from '../../../components/confirm-button.tsx'
import { errorText } from '../../../graphql/describe-error.ts'
import { useChange } from '../../../graphql/use-change.ts'
import { RenameDialog } from '../rename-dialog.tsx'
import {
  type AccessKeyFieldsFragment,
  DeleteAccessKeyDocument,
  RenameAccessKeyDocument,
  SetAccessKeyEnabledDocument,
} from './keys.generated.ts'

/** Offers to rename, disable, enable, and delete a key. */
export function KeyMenu({ accessKey }: { accessKey: AccessKeyFieldsFragment }) {
  const { key, enabled } = accessKey
  const name = accessKey.name ?? key
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
