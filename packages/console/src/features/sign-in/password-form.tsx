import { Button, Divider, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { IconFingerprint } from '@tabler/icons-react'
import { type FormEvent, useState } from 'react'
import { signIn, signInWithPasskey, supportsPasskeys } from './auth-api.ts'
import { SignInError } from './sign-in-error.tsx'

export function PasswordForm({ onDone, onNeedsCode }: { onDone: () => void; onNeedsCode: () => void }) {
  const [wrong, setWrong] = useState<{ email?: string | undefined; password?: string | undefined }>({})
  const { running, error, run } = useAttempt()

  // Read the fields from the form, because password managers can fill them without change events.
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    const values = new FormData(event.currentTarget)
    const [email, password] = [String(values.get('email')).trim(), String(values.get('password'))]
    const found = {
      email: email.includes('@') ? undefined : 'Enter your email address, such as ada@example.com',
      password: password === '' ? 'Enter your password' : undefined,
    }
    setWrong(found)
    if (found.email !== undefined || found.password !== undefined) return
    void run('password', async () => {
      const result = await signIn(email, password)
      if (result.signedIn) onDone()
      else onNeedsCode()
    })
  }

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
          error={wrong.email}
          onChange={() => setWrong({ ...wrong, email: undefined })}
        />
        <PasswordInput
          label="Password"
          name="password"
          autoComplete="current-password"
          error={wrong.password}
          onChange={() => setWrong({ ...wrong, password: undefined })}
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
          the server’s operator runs <code>muster users add</code>, or an admin of an account invites them.
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
