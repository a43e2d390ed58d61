import { Modal } from '@mantine/core'
import { useState } from 'react'
import { changedFields } from '../../components/dialogs/changed-fields.ts'
import { useChange } from '../../graphql/use-change.ts'
import { WebhookForm, type WebhookValues } from './webhook-form.tsx'
import { UpdateWebhookDocument, type WebhookFieldsFragment } from './webhooks.generated.ts'

interface EditWebhookFormProps {
  webhook: WebhookFieldsFragment
  onClose: () => void
}

export function EditWebhookDialog({ opened, ...form }: EditWebhookFormProps & { opened: boolean }) {
  return (
    <Modal opened={opened} onClose={form.onClose} title="Edit the webhook" size="xl">
      <EditWebhookForm {...form} />
    </Modal>
  )
}

/** Mounts each time the dialog opens, so the form starts with the current values. */
function EditWebhookForm({ webhook, onClose }: EditWebhookFormProps) {
  const [before] = useState<WebhookValues>({ ...webhook, view: webhook.view?.id ?? null })
  const update = useChange(UpdateWebhookDocument)
  const submit = async (values: WebhookValues): Promise<void> => {
    await update({ id: webhook.id, ...changedFields(before, values) })
    onClose()
  }
  return (
    <WebhookForm
      webhook={before}
      submit="Save"
      failed="The webhook was not changed"
      onSubmit={submit}
      onCancel={onClose}
    />
  )
}
