import { Button, Center, Image, Paper, Stack, Text, Title } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import { useState } from 'react'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { signInWithLink } from './auth-api.ts'
import { takeToken } from './take-token.ts'

/** Signs in only after a click, because programs that preview links also open this page. */
export function SignInLinkPage() {
  useDocumentTitle('Sign in · Muster')
  const [token] = useState(takeToken)
  const [running, setRunning] = useState(false)
  const [error, setError] = useState<unknown>()
  const signIn = (): void => {
    setRunning(true)
    signInWithLink(token).then(
      () => window.location.replace('/'),
      (failure: unknown) => {
        setError(failure)
        setRunning(false)
      },
    )
  }
  return (
    <Center component="main" mih="100dvh" p="md">
      <Stack w="100%" maw={420} gap="lg">
        <Image src="/icons/icon.svg" alt="" w={36} h={36} mx="auto" />
        <Paper withBorder p="lg" radius="md">
          <Stack>
            <Title order={1}>Sign in</Title>
            {error === undefined ? null : <ErrorNotice error={error} title="You cannot sign in with this link" />}
            <Text>The operator of this server created this link for you. The link works once.</Text>
            <Button onClick={signIn} loading={running}>
              Sign in
            </Button>
          </Stack>
        </Paper>
      </Stack>
    </Center>
  )
}
