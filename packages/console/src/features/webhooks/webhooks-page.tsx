import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPlus, IconWebhook } from '@tabler/icons-react'
import { useQuery } from 'urql'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { ListTable } from '../../components/list-table.tsx'
import { Loading } from '../../components/loading.tsx'
import { NotAllowed } from '../../components/not-allowed.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { useTypes } from '../../graphql/use-change.ts'
import { usageText } from '../account/usage-text.ts'
import { useViewer } from '../user-settings/viewer.ts'
import { NewWebhookDialog } from './new-webhook-dialog.tsx'
import { pausedSince } from './pauses.ts'
import { WebhookRow } from './webhook-row.tsx'
import { WebhooksDocument } from './webhooks.generated.ts'

const columns = ['Webhook', 'State', 'Events', 'Last delivery', 'Failed', 'Created']

export function WebhooksPage() {
  const { may } = useViewer()
  if (may('WEBHOOK_MANAGE')) return <Webhooks />
  return (
    <>
      <PageHeader title="Webhooks" />
      <NotAllowed permissions={['WEBHOOK_MANAGE']}>You cannot see webhooks.</NotAllowed>
    </>
  )
}

function Webhooks() {
  const context = useTypes('Webhook', 'WebhookDelivery')
  const [{ data, error }, refetch] = useQuery({ query: WebhooksDocument, context })
  const [opened, { open, close }] = useDisclosure()
  const login = data?.login
  const webhooks = login?.webhooks
  const create = (
    <Button leftSection={<IconPlus size={16} />} onClick={open}>
      New webhook
    </Button>
  )
  return (
    <>
      <PageHeader title="Webhooks" actions={create}>
        Webhooks send events to your programs as they happen, in signed HTTP requests.{' '}
        {usageText(login?.limits, 'webhooks', 'webhooks')}
      </PageHeader>
      <ErrorNotice error={error} title="The webhooks could not be loaded" onRetry={() => refetch()} />
      {webhooks === undefined && error === undefined ? <Loading what="webhooks" /> : null}
      {webhooks?.length === 0 ? (
        <EmptyState icon={<IconWebhook />} title="No webhooks yet" action={create}>
          Create a webhook to send events to your program, for example when a device becomes active or inactive.
        </EmptyState>
      ) : null}
      {login == null || webhooks === undefined || webhooks.length === 0 ? null : (
        <ListTable label="Webhooks" columns={columns} minWidth={860}>
          {webhooks.map((webhook) => (
            <WebhookRow key={webhook.id} webhook={webhook} since={pausedSince(webhook, login.pauses)} />
          ))}
        </ListTable>
      )}
      <NewWebhookDialog opened={opened} onClose={close} />
    </>
  )
}
