import { ActionIcon, Button, Menu } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconDots, IconKey, IconPencil, IconPlayerPause, IconPlayerPlay, IconTrash } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { ConfirmDialog } from '../../components/dialogs/confirm-button.tsx'
import { notifyError } from '../../components/error-notice.tsx'
import { useChange } from '../../graphql/use-change.ts'
import { EditWebhookDialog } from './edit-webhook-dialog.tsx'
import { RotateSecretDialog } from './rotate-secret-dialog.tsx'
import { TestWebhook } from './test-webhook.tsx'
import { DeleteWebhookDocument, SetWebhookEnabledDocument, type WebhookFieldsFragment } from './webhooks.generated.ts'

export function WebhookActions({ webhook }: { webhook: WebhookFieldsFragment }) {
  const { id, url, name } = webhook
  const navigate = useNavigate()
  const [editing, edit] = useDisclosure()
  const [rotating, rotate] = useDisclosure()
  const [deleting, remove] = useDisclosure()
  const deleteWebhook = useChange(DeleteWebhookDocument, ['Webhook'])
  const deleteAndLeave = async (): Promise<void> => {
    await deleteWebhook({ id })
    await navigate({ to: '/webhooks' })
  }
  return (
    <>
      <TestWebhook id={id} url={url} />
      <SwitchButton webhook={webhook} />
      <Menu position="bottom-end" width={210}>
        <Menu.Target>
          <ActionIcon aria-label="More" size="lg" variant="default">
            <IconDots size={18} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconPencil size={16} />} onClick={edit.open}>
            Edit
          </Menu.Item>
          <Menu.Item leftSection={<IconKey size={16} />} onClick={rotate.open}>
            Rotate signing secret
          </Menu.Item>
          <Menu.Item color="red" leftSection={<IconTrash size={16} />} onClick={remove.open}>
            Delete
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <EditWebhookDialog webhook={webhook} opened={editing} onClose={edit.close} />
      <RotateSecretDialog id={id} opened={rotating} onClose={rotate.close} />
      <ConfirmDialog
        opened={deleting}
        onClose={remove.close}
        title={`Delete ${name ?? url}?`}
        confirm="Delete webhook"
        danger
        onConfirm={deleteAndLeave}
      >
        The webhook’s deliveries are also deleted, including pending deliveries. You cannot undo this.
      </ConfirmDialog>
    </>
  )
}

function SwitchButton({ webhook: { id, enabled, paused } }: { webhook: WebhookFieldsFragment }) {
  const setEnabled = useChange(SetWebhookEnabledDocument)
  const isSending = enabled && paused === null
  const run = (): Promise<unknown> =>
    setEnabled({ id, enabled: !isSending }).catch((error) => notifyError('The webhook was not changed', error))
  const Icon = isSending ? IconPlayerPause : IconPlayerPlay
  return (
    <Button variant="default" leftSection={<Icon size={16} />} onClick={run}>
      {isSending ? 'Disable' : enabled ? 'Resume' : 'Enable'}
    </Button>
  )
}
