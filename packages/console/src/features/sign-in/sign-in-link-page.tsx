import { Button, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { signInWithLink } from './auth-api.ts'
import { SignedOutPage } from './signed-out-page.tsx'
import { takeToken } from './take-token.ts'

/** Signs in only after a click, because programs that preview links also open this page. */
export function SignInLinkPage() {
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
    <SignedOutPage title="Sign in">
      <Stack>
        <ErrorNotice error={error} title="You were not signed in" />
        <Text>The operator of this server created this link for you. The link works once.</Text>
        <Button onClick={signIn} loading={running}>
          Sign in
        </Button>
      </Stack>
    </SignedOutPage>
  )
}
