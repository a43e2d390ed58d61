import { Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { IconFingerprint } from '@tabler/icons-react'
import { type FormEvent, useRef, useState } from 'react'
import { RouterAnchor } from '../../app/links.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { supportsPasskeys } from '../sign-in/auth-api.ts'
import { forgetToken, type Invitation, joinWithPasskey, joinWithPassword } from './invitation-api.ts'

const labels = { email: 'Email', name: 'Name', password: 'Password' }

export function NewPersonForm({ token, invitation }: { token: string; invitation: Invitation }) {
  const form = useRef<HTMLFormElement>(null)
  const [running, setRunning] = useState<'password' | 'passkey'>()
  const [error, setError] = useState<unknown>()
  const join = async (way: 'password' | 'passkey'): Promise<void> => {
    // Read the fields from the form, because password managers can fill them without change events.
    const values = new FormData(form.current!)
    const [email, name] = [String(values.get('email')).trim(), String(values.get('name')).trim()]
    const person = { token, email: email || null, name: name || null }
    setRunning(way)
    setError(undefined)
    try {
      if (way === 'passkey') await joinWithPasskey(person)
      else await joinWithPassword({ ...person, password: String(values.get('password')) })
      forgetToken()
      window.location.assign('/')
    } catch (failure) {
      setError(failure)
      setRunning(undefined)
    }
  }
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    void join('password')
  }
  /** Joins with a passkey. Checks only the email address, because a passkey replaces the password. */
  const usePasskey = (): void => {
    const email = form.current!.elements.namedItem('email') as HTMLInputElement
    if (email.reportValidity()) void join('passkey')
  }
  return (
    <form ref={form} onSubmit={submit}>
      <Stack>
        <ErrorNotice error={error} title="You did not join" labels={labels} />
        <TextInput
          label="Email"
          type="email"
          name="email"
          autoComplete="username"
          defaultValue={invitation.email ?? ''}
          readOnly={invitation.email !== null}
          required
          withAsterisk={false}
        />
        <TextInput label="Name" name="name" autoComplete="name" maxLength={100} />
        <PasswordInput
          label="Password"
          description="At least 12 characters"
          name="password"
          autoComplete="new-password"
          required
          withAsterisk={false}
        />
        <Button type="submit" loading={running === 'password'} disabled={running === 'passkey'}>
          Join
        </Button>
        {supportsPasskeys() ? (
          <Button
            variant="default"
            leftSection={<IconFingerprint size={16} aria-hidden="true" />}
            loading={running === 'passkey'}
            disabled={running === 'password'}
            onClick={usePasskey}
          >
            Join with a passkey
          </Button>
        ) : null}
        <Text size="sm">
          If you already use this server,{' '}
          <RouterAnchor to="/sign-in" search={{ next: '/invitation' }} inherit>
            sign in first
          </RouterAnchor>
          .
        </Text>
      </Stack>
    </form>
  )
}
