import { Code, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { CopyButton } from '../../../components/copy-button.tsx'
import { Time } from '../../../components/time.tsx'
import type { DeliveryFieldsFragment } from '../webhooks.generated.ts'

export function DeliveryDetails({ delivery, url }: { delivery: DeliveryFieldsFragment; url: string }) {
  const { id, request, response, attempts, httpStatus, duration, error, nextAttempt, status } = delivery
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
      <Stack gap="xs" miw={0}>
        <Group gap="xs">
          <Title order={3}>Request</Title>
          {request === null ? null : <CopyButton value={request} what="request body" />}
        </Group>
        <Block label="Request headers">{`POST ${url}
content-type: application/json
webhook-id: ${id}`}</Block>
        <Text size="xs" c="dimmed">
          Each attempt has a different webhook-timestamp and webhook-signature.
        </Text>
        {request === null ? null : <Block label="Request body">{formatJson(request)}</Block>}
      </Stack>
      <Stack gap="xs" miw={0}>
        <Title order={3}>Response</Title>
        <Text component="div">
          {describeResponse(httpStatus, duration)}
          {attempts > 1 ? ` This was attempt ${attempts}.` : ''}
        </Text>
        {error === null ? null : <Text c="var(--mantine-color-error)">{error}</Text>}
        {response === null ? null : response === '' ? (
          <Text c="dimmed">The response has no body.</Text>
        ) : (
          <Block label="Response body, first KiB">{formatJson(response)}</Block>
        )}
        <Text c="dimmed" component="div">
          {nextAttempt === null ? (
            status === 'delivered' ? null : (
              'The server does not retry this delivery automatically.'
            )
          ) : (
            <>
              Next attempt <Time value={nextAttempt} />
            </>
          )}
        </Text>
      </Stack>
    </SimpleGrid>
  )
}

function describeResponse(httpStatus: number | null, duration: number | null): string {
  const took = duration === null ? '' : ` after ${duration.toLocaleString()} ms`
  if (httpStatus !== null) return `The receiver responded with status ${httpStatus}${took}.`
  return duration === null ? 'There has been no attempt yet.' : `There was no response${took}.`
}

function Block({ label, children }: { label: string; children: ReactNode }) {
  return (
    <Code block tabIndex={0} role="region" aria-label={label} mah={320} style={{ overflow: 'auto' }}>
      {children}
    </Code>
  )
}

function formatJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
