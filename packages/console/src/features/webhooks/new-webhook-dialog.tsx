import { Text } from '@mantine/core'
import { RouterAnchor } from '../../app/links.tsx'
import { CreationDialog } from '../../components/dialogs/creation-dialog.tsx'
import { useCreation } from '../../graphql/use-change.ts'
import { WebhookForm, type WebhookValues } from './webhook-form.tsx'
import { WebhookSecret } from './webhook-secret.tsx'
import { CreateWebhookDocument, type CreateWebhookMutation } from './webhooks.generated.ts'

const empty: WebhookValues = {
  url: '',
  name: null,
  events: ['DEVICE_STATE', 'SERVICE_STATE'],
  where: null,
  view: null,
  context: null,
}

export function NewWebhookDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const create = useCreation(CreateWebhookDocument, ['Webhook'])
  return (
    <CreationDialog<CreateWebhookMutation['createWebhook']>
      opened={opened}
      onClose={onClose}
      title="New webhook"
      createdTitle="Webhook created"
      size="xl"
      form={(onCreated) => (
        <WebhookForm
          webhook={empty}
          submit="Create webhook"
          failed="The webhook was not created"
          onSubmit={async (values) => onCreated((await create({ ...values, enabled: true })).createWebhook)}
          onCancel={onClose}
        />
      )}
    >
      {({ id, secret }) => (
        <WebhookSecret secret={secret ?? ''} onDone={onClose}>
          <Text>
            <RouterAnchor to="/webhooks/$webhookId" params={{ webhookId: id }}>
              Open the webhook
            </RouterAnchor>{' '}
            to send a test event.
          </Text>
        </WebhookSecret>
      )}
    </CreationDialog>
  )
}
