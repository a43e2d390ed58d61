import { Code, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { CopyButton } from '../../components/copy-button.tsx'
import { Time } from '../../components/time.tsx'
import type { DeliveryFieldsFragment } from './webhooks.generated.ts'

interface DeliveryDetailsProps {
  delivery: DeliveryFieldsFragment
  url: string
}

/** What was sent, and what came back. */
export function DeliveryDetails({ delivery, url }: DeliveryDetailsProps) {
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
          webhook-timestamp and webhook-signature are made anew for each attempt.
        </Text>
        {request === null ? null : <Block label="Request body">{pretty(request)}</Block>}
      </Stack>
      <Stack gap="xs" miw={0}>
        <Title order={3}>Answer</Title>
        <Text component="div">
          {answerText(httpStatus, duration)}
          {attempts > 1 ? ` It was the last of ${attempts} attempts.` : ''}
        </Text>
        {error === null ? null : <Text c="var(--mantine-color-error)">{error}</Text>}
        {response === null ? null : response === '' ? (
          <Text c="dimmed">It had no body.</Text>
        ) : (
          <Block label="Answer body, its first KiB">{pretty(response)}</Block>
        )}
        <Text c="dimmed" component="div">
          {nextAttempt === null ? (
            status === 'delivered' ? null : (
              'It is not tried again by itself.'
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

function answerText(httpStatus: number | null, duration: number | null): string {
  const took = duration === null ? '' : ` after ${duration.toLocaleString()} ms`
  if (httpStatus !== null) return `The receiver answered ${httpStatus}${took}.`
  return duration === null ? 'It has not been tried yet.' : `There was no answer${took}.`
}

function Block({ label, children }: { label: string; children: ReactNode }) {
  return (
    <Code block tabIndex={0} role="region" aria-label={label} mah={320} style={{ overflow: 'auto' }}>
      {children}
    </Code>
  )
}

/** JSON with line breaks; anything else as it is. */
function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
