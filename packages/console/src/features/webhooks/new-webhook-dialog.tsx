import { Modal, Text } from '@mantine/core'
import { useState } from 'react'
import { RouterAnchor } from '../../app/links.tsx'
import { useCreation } from '../../graphql/use-change.ts'
import { WebhookForm, type WebhookValues } from './webhook-form.tsx'
import { WebhookSecret } from './webhook-secret.tsx'
import { CreateWebhookDocument, type CreateWebhookMutation } from './webhooks.generated.ts'

interface NewWebhookDialogProps {
  opened: boolean
  onClose: () => void
}

const empty: WebhookValues = {
  url: '',
  name: null,
  events: ['DEVICE_STATE', 'SERVICE_STATE'],
  where: null,
  view: null,
  context: null,
}

/** Shows a form for a new webhook, and then the webhook's signing secret, which appears only once. */
export function NewWebhookDialog({ opened, onClose }: NewWebhookDialogProps) {
  const create = useCreation(CreateWebhookDocument, ['Webhook'])
  const [created, setCreated] = useState<CreateWebhookMutation['createWebhook']>()
  const submit = async (values: WebhookValues): Promise<void> => {
    const { createWebhook } = await create({ ...values, enabled: true })
    setCreated(createWebhook)
  }
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      onExitTransitionEnd={() => setCreated(undefined)}
      title={created === undefined ? 'New webhook' : 'Webhook created'}
      size="xl"
      closeOnClickOutside={created === undefined}
      closeOnEscape={created === undefined}
    >
      {created?.secret == null ? (
        <WebhookForm
          webhook={empty}
          submit="Create webhook"
          failed="The webhook was not created"
          onSubmit={submit}
          onCancel={onClose}
        />
      ) : (
        <WebhookSecret secret={created.secret} onDone={onClose}>
          <Text>
            <RouterAnchor to="/webhooks/$webhookId" params={{ webhookId: created.id }}>
              Open the webhook
            </RouterAnchor>{' '}
            to send it a test event.
          </Text>
        </WebhookSecret>
      )}
    </Modal>
  )
}
