import { Button, Divider, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { IconFingerprint } from '@tabler/icons-react'
import { useState } from 'react'
import { signIn, signInWithPasskey, supportsPasskeys } from './auth-api.ts'
import { SignInError } from './sign-in-error.tsx'

interface PasswordFormProps {
  onDone: () => void
  onNeedsCode: () => void
}

export function PasswordForm({ onDone, onNeedsCode }: PasswordFormProps) {
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { email: '', password: '' },
    validate: {
      email: (value) => (value.includes('@') ? null : 'Enter your email address'),
      password: (value) => (value === '' ? 'Enter your password' : null),
    },
  })
  const { running, error, run } = useAttempt()

  const submit = form.onSubmit(({ email, password }) =>
    run('password', async () => {
      const result = await signIn(email.trim(), password)
      if (result.signedIn) onDone()
      else onNeedsCode()
    }),
  )

  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        {error === undefined ? null : <SignInError error={error} />}
        <TextInput
          label="Email"
          type="email"
          name="email"
          autoComplete="username"
          autoFocus
          key={form.key('email')}
          {...form.getInputProps('email')}
        />
        <PasswordInput
          label="Password"
          name="password"
          autoComplete="current-password"
          key={form.key('password')}
          {...form.getInputProps('password')}
          visibilityToggleButtonProps={{ 'aria-label': 'Show the password' }}
        />
        <Button type="submit" loading={running === 'password'}>
          Sign in
        </Button>
        {supportsPasskeys() ? (
          <>
            <Divider label="or" />
            <Button
              variant="default"
              leftSection={<IconFingerprint size={18} />}
              loading={running === 'passkey'}
              onClick={() => run('passkey', () => signInWithPasskey().then(onDone))}
            >
              Sign in with a passkey
            </Button>
          </>
        ) : null}
        <Text size="xs" c="dimmed">
          On its first start, the server writes an email address and a password to its credentials file. To add users,
          the server’s operator runs <code>muster users add</code>.
        </Text>
      </Stack>
    </form>
  )
}

type Method = 'password' | 'passkey'

function useAttempt() {
  const [running, setRunning] = useState<Method>()
  const [error, setError] = useState<unknown>()
  const run = async (method: Method, attempt: () => Promise<void>): Promise<void> => {
    setRunning(method)
    setError(undefined)
    try {
      await attempt()
    } catch (failure) {
      setError(failure)
    } finally {
      setRunning(undefined)
    }
  }
  return { running, error, run }
}
