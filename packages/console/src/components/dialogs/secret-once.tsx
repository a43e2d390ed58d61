import { Alert, Button, Code, Group, Stack, Text } from '@mantine/core'
import { IconDownload, IconKey } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { CopyButton } from '../copy-button.tsx'
import { downloadText } from '../download.ts'

interface SecretOnceProps {
  what: string
  value: string
  file?: { name: string; content: string }
  children?: ReactNode
}

export function SecretOnce({ what, value, file, children }: SecretOnceProps) {
  return (
    <Stack gap="sm">
      <Alert color="yellow" icon={<IconKey />} title={`Save this ${what} now`}>
        The server cannot show this {what} again.
      </Alert>
      <Code block aria-label={what} style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>
        {value}
      </Code>
      <Group gap="xs">
        <CopyButton value={value} what={what} wide />
        {file === undefined ? null : (
          <Button
            variant="default"
            leftSection={<IconDownload size={16} />}
            onClick={() => downloadText(file.name, file.content)}
          >
            Download {file.name}
          </Button>
        )}
      </Group>
      {children === undefined ? null : <Text component="div">{children}</Text>}
    </Stack>
  )
}
