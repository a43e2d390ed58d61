import { Alert, Badge, Code, Group, Stack, Text } from '@mantine/core'
import { IconPlayerPause, IconWebhookOff } from '@tabler/icons-react'
import { useParams } from '@tanstack/react-router'
import { useQuery } from 'urql'
import { BackLink, RouterButton } from '../../app/links.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { eventLabel } from '../../components/events/event-types.ts'
import { Loading } from '../../components/loading.tsx'
import { NotAllowed } from '../../components/not-allowed.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { Time } from '../../components/time.tsx'
import { useTypes } from '../../graphql/use-change.ts'
import { SelectionText } from '../access/restriction-summary.tsx'
import { useViewer } from '../user-settings/viewer.ts'
import { Deliveries } from './deliveries/deliveries.tsx'
import { pausedSince, pauseReason, waitsForView } from './pauses.ts'
import { WebhookActions } from './webhook-actions.tsx'
import { WebhookState } from './webhook-state.tsx'
import { WebhookDocument, type WebhookFieldsFragment } from './webhooks.generated.ts'

export function WebhookPage() {
  const { may } = useViewer()
  if (may('WEBHOOK_MANAGE')) return <WebhookById />
  return (
    <>
      <PageHeader title="Webhook" />
      <NotAllowed permissions={['WEBHOOK_MANAGE']}>You cannot see webhooks.</NotAllowed>
    </>
  )
}

function WebhookById() {
  const { webhookId } = useParams({ from: '/shell/webhooks/$webhookId' })
  const context = useTypes('Webhook')
  const [{ data, error }, refetch] = useQuery({ query: WebhookDocument, variables: { id: webhookId }, context })
  const login = data?.login
  const webhook = login?.webhooks[0]
  if (error !== undefined)
    return (
      <>
        <PageHeader title="Webhook" />
        <ErrorNotice error={error} title="The webhook could not be loaded" onRetry={() => refetch()} />
      </>
    )
  if (login == null) return <Loading what="webhook" />
  if (webhook === undefined) return <WebhookNotFound />
  const { name, url, events, enabled, paused, created } = webhook
  const since = pausedSince(webhook, login.pauses)
  return (
    <Stack>
      <div>
        <BackLink to="/webhooks">Webhooks</BackLink>
        <PageHeader
          title={name ?? url}
          beside={<WebhookState webhook={webhook} since={since} />}
          actions={<WebhookActions webhook={webhook} />}
        >
          <Group gap={4}>
            <Code style={{ overflowWrap: 'anywhere' }}>{url}</Code>
            <CopyButton value={url} what="URL" />
            <span>
              created <Time value={created} />
            </span>
          </Group>
        </PageHeader>
        {!enabled || paused === null ? null : (
          <Alert color="orange" icon={<IconPlayerPause />} title="Deliveries are held back">
            <Text size="sm">
              {pauseReason(paused)} {since === undefined ? null : <Time value={since} />}{' '}
              {waitsForView(paused)
                ? 'Change the view, or select another view for this webhook. The webhook then resumes automatically.'
                : 'Fix the receiver and send a test. To send the deliveries that were held back, select Resume.'}
            </Text>
          </Alert>
        )}
        <SelectedDevices webhook={webhook} />
        <Group gap={6} mt="xs" role="list" aria-label="Event types">
          {events.map((type) => (
            <Badge key={type} color="gray" role="listitem">
              {eventLabel(type)}
            </Badge>
          ))}
        </Group>
      </div>
      <Deliveries webhook={webhook} />
    </Stack>
  )
}

function SelectedDevices({ webhook: { where, view, context } }: { webhook: WebhookFieldsFragment }) {
  if (where === null && view === null) return null
  return (
    <Text size="sm" mt="xs" style={{ overflowWrap: 'anywhere' }}>
      Only events of devices
      <SelectionText where={where} view={view} context={context} />
    </Text>
  )
}

function WebhookNotFound() {
  return (
    <>
      <BackLink to="/webhooks">Webhooks</BackLink>
      <PageHeader title="Webhook" />
      <EmptyState
        icon={<IconWebhookOff />}
        title="Webhook not found"
        action={<RouterButton to="/webhooks">Show all webhooks</RouterButton>}
      >
        The webhook may have been deleted.
      </EmptyState>
    </>
  )
}
