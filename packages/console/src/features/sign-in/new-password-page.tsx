import { Button, PasswordInput, Stack, Text } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { RouterAnchor } from '../../app/links.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { setNewPassword } from './auth-api.ts'
import { SignedOutPage } from './signed-out-page.tsx'
import { takeToken } from './take-token.ts'

const labels = { password: 'New password' }

export function NewPasswordPage() {
  const [token] = useState(takeToken)
  const [state, setState] = useState<'open' | 'running' | 'done'>('open')
  const [error, setError] = useState<unknown>()
  // Read the field from the form, because password managers can fill it without a change event.
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    const password = String(new FormData(event.currentTarget).get('password'))
    setState('running')
    setNewPassword(token, password).then(
      () => setState('done'),
      (failure: unknown) => {
        setError(failure)
        setState('open')
      },
    )
  }
  return (
    <SignedOutPage title="New password">
      {state === 'done' ? (
        <Text role="status">
          Your password was changed. <RouterAnchor to="/sign-in">Sign in</RouterAnchor> with the new password.
        </Text>
      ) : (
        <form onSubmit={submit}>
          <Stack>
            <ErrorNotice error={error} title="The password was not changed" labels={labels} />
            <PasswordInput
              label={labels.password}
              description="At least 12 characters"
              name="password"
              autoComplete="new-password"
              required
              withAsterisk={false}
            />
            <Button type="submit" loading={state === 'running'}>
              Set password
            </Button>
          </Stack>
        </form>
      )}
    </SignedOutPage>
  )
}
