import { Modal } from '@mantine/core'
import { useChange } from '../../graphql/use-change.ts'
import { WebhookForm, type WebhookValues } from './webhook-form.tsx'
import { UpdateWebhookDocument, type WebhookFieldsFragment } from './webhooks.generated.ts'

interface EditWebhookDialogProps {
  webhook: WebhookFieldsFragment
  opened: boolean
  onClose: () => void
}

export function EditWebhookDialog({ webhook, opened, onClose }: EditWebhookDialogProps) {
  const update = useChange(UpdateWebhookDocument)
  const submit = async (values: WebhookValues): Promise<void> => {
    await update({ id: webhook.id, ...values })
    onClose()
  }
  return (
    <Modal opened={opened} onClose={onClose} title="Edit the webhook" size="xl">
      <WebhookForm
        webhook={{ ...webhook, view: webhook.view?.id ?? null }}
        submit="Save"
        failed="The webhook was not changed"
        onSubmit={submit}
        onCancel={onClose}
      />
    </Modal>
  )
}
