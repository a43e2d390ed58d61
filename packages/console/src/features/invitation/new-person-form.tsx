import { Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { RouterAnchor } from '../../app/links.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { forgetToken, type Invitation, joinAsNewPerson } from './invitation-api.ts'

interface NewPersonFormProps {
  token: string
  invitation: Invitation
}

const labels = { email: 'Email', name: 'Name', password: 'Password' }

/** Creates a person with a password. A person who already has a password signs in instead. */
export function NewPersonForm({ token, invitation }: NewPersonFormProps) {
  const [running, setRunning] = useState(false)
  const [error, setError] = useState<unknown>()
  // Reads the fields from the form, because password managers fill them without events.
  const submit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault()
    const values = new FormData(event.currentTarget)
    const [email, name] = [String(values.get('email')).trim(), String(values.get('name')).trim()]
    setRunning(true)
    setError(undefined)
    try {
      const password = String(values.get('password'))
      await joinAsNewPerson({ token, email: email || null, name: name || null, password })
      forgetToken()
      window.location.assign('/')
    } catch (failure) {
      setError(failure)
      setRunning(false)
    }
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        {error === undefined ? null : <ErrorNotice error={error} title="You did not join" labels={labels} />}
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
          visibilityToggleButtonProps={{ 'aria-label': 'Show the password' }}
        />
        <Button type="submit" loading={running}>
          Join
        </Button>
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
