import { Alert, Button, Code, Group, Stack, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { describeError } from '../graphql/describe-error.ts'

interface ErrorNoticeProps {
  error: unknown
  /** The operation that failed: "The devices could not be loaded". */
  title?: string
  onRetry?: () => void
}

/** Shows an error and how to resolve it. */
export function ErrorNotice({ error, title, onRetry }: ErrorNoticeProps) {
  const { what, advice, requestId } = describeError(error)
  return (
    <Alert color="red" variant="light" icon={<IconAlertTriangle />} title={title} role="alert">
      <Stack gap="xs" align="flex-start">
        <Text size="sm">
          {what} {advice}
        </Text>
        {requestId === undefined ? null : (
          <Text size="xs" c="dimmed">
            Request <Code>{requestId}</Code>
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
