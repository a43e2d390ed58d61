import { Alert, Button, Code, Group, Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconAlertTriangle } from '@tabler/icons-react'
import { useEffect, useRef } from 'react'
import { describeError, errorText, type FieldLabels } from '../graphql/describe-error.ts'

interface ErrorNoticeProps {
  /** If undefined, the component shows nothing. */
  error: unknown
  /** Omitted if the title may be wrong, because the change may have been made. */
  title?: string
  labels?: FieldLabels
  onRetry?: () => void
}

export function ErrorNotice({ error, title, labels, onRetry }: ErrorNoticeProps) {
  const notice = useRef<HTMLDivElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: each new error must scroll into view
  useEffect(() => {
    if (notice.current?.closest('[role=dialog]')) notice.current.scrollIntoView({ block: 'center' })
  }, [error])
  if (error === undefined) return null
  const { what, advice, requestId, mayBeDone } = describeError(error, labels)
  return (
    <Alert
      ref={notice}
      color="red"
      variant="light"
      icon={<IconAlertTriangle />}
      title={mayBeDone ? undefined : title}
      role="alert"
    >
      <Stack gap="xs" align="flex-start">
        <Text size="sm">
          {what} {advice}
        </Text>
        {requestId === undefined ? null : (
          <Text size="xs" c="dimmed">
            Request ID <Code>{requestId}</Code>
          </Text>
        )}
        {onRetry === undefined ? null : (
          <Group>
            <Button size="xs" variant="default" onClick={onRetry}>
              Try again
            </Button>
          </Group>
        )}
      </Stack>
    </Alert>
  )
}

/** Shows the error in a notification. Omits the title if it may be wrong, because the change may have been made. */
export function notifyError(title: string, error: unknown): void {
  const { mayBeDone } = describeError(error)
  notifications.show({ color: 'red', title: mayBeDone ? undefined : title, message: errorText(error) })
}
