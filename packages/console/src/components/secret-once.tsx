import { Alert, Button, Code, Group, Stack, Text } from '@mantine/core'
import { IconDownload, IconKey } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { CopyButton } from './copy-button.tsx'
import { downloadText } from './download-text.ts'

interface SecretOnceProps {
  /** What it is: "secret access key", "device secret", "registration code". */
  what: string
  value: string
  /** Offers the secret as a file. */
  file?: { name: string; content: string }
  children?: ReactNode
}

/** A secret that the server shows in this answer and never again. */
export function SecretOnce({ what, value, file, children }: SecretOnceProps) {
  return (
    <Stack gap="sm">
      <Alert color="yellow" icon={<IconKey />} title={`Keep this ${what} now`}>
        It is shown this once. The server cannot show it again.
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
