import { ActionIcon, Menu } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconDots, IconPencil, IconPlayerPause, IconPlayerPlay, IconRefresh, IconTrash } from '@tabler/icons-react'
import { ConfirmDialog } from '../../../components/dialogs/confirm-button.tsx'
import { notifyError } from '../../../components/error-notice.tsx'
import { useChange } from '../../../graphql/use-change.ts'
import { RenameDialog } from '../rename-dialog.tsx'
import {
  type AccessKeyFieldsFragment,
  DeleteAccessKeyDocument,
  RenameAccessKeyDocument,
  SetAccessKeyEnabledDocument,
} from './keys.generated.ts'
import { RotateKeyDialog } from './rotate-key-dialog.tsx'
import { useMayChange } from './use-may-change.ts'

interface KeyMenuProps {
  accessKey: AccessKeyFieldsFragment
  onDeleted?: () => void
}

export function KeyMenu({ accessKey, onDeleted }: KeyMenuProps) {
  const { key, enabled } = accessKey
  const { canChange, canRotate } = useMayChange(accessKey)
  const name = accessKey.name ?? key
  const [renaming, rename] = useDisclosure()
  const [rotating, rotate] = useDisclosure()
  const [deleting, remove] = useDisclosure()
  const switchKey = useChange(SetAccessKeyEnabledDocument)
  const renameKey = useChange(RenameAccessKeyDocument)
  const deleteKey = useChange(DeleteAccessKeyDocument, ['AccessKey', 'KeyPolicy'])
  const toggle = (): Promise<unknown> =>
    switchKey({ key, enabled: !enabled }).catch((error) => notifyError('The key was not changed', error))
  if (!canChange) return null
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
          {canRotate ? (
            <Menu.Item leftSection={<IconRefresh size={16} />} onClick={rotate.open}>
              Rotate
            </Menu.Item>
          ) : null}
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
      <RotateKeyDialog accessKey={accessKey} opened={rotating} onClose={rotate.close} />
      <ConfirmDialog
        opened={deleting}
        onClose={remove.close}
        title={`Delete ${name}?`}
        confirm="Delete key"
        danger
        onConfirm={() => deleteKey({ key }).then(onDeleted)}
      >
        Within a second, the server rejects requests signed with this key and ends its streams. You cannot undo this.
      </ConfirmDialog>
    </>
  )
}
