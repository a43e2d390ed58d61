import { Button, Group, PasswordInput, Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useState } from 'react'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { AuthError } from '../sign-in/auth-call.ts'
import { changePassword } from './account-api.ts'
import { Section } from './section.tsx'

const SHORTEST = 12

const showPassword = { 'aria-label': 'Show the password' }

export function PasswordSection() {
  const [error, setError] = useState<unknown>()
  const form = useForm({
    initialValues: { current: '', next: '', again: '' },
    validate: {
      current: (value) => (value === '' ? 'Enter your present password' : null),
      next: (value) => (value.length < SHORTEST ? `At least ${SHORTEST} characters` : null),
      again: (value, { next }) => (value === next ? null : 'The two are different'),
    },
  })
  const submit = form.onSubmit(async ({ current, next }) => {
    setError(undefined)
    try {
      await changePassword(current, next)
      form.reset()
      notifications.show({ message: 'Your password is changed. All other browsers are signed out.' })
    } catch (failure) {
      if (failure instanceof AuthError && failure.reason === 'wrong-password')
        form.setFieldError('current', 'This is not your password')
      else setError(failure)
    }
  })
  return (
    <Section title="Password" about="A new one signs out all other browsers.">
      <form onSubmit={submit}>
        <Stack maw={360} gap="xs">
          {error === undefined ? null : <ErrorNotice error={error} />}
          <PasswordInput
            label="Present password"
            autoComplete="current-password"
            visibilityToggleButtonProps={showPassword}
            {...form.getInputProps('current')}
          />
          <PasswordInput
            label="New password"
            description={`At least ${SHORTEST} characters`}
            autoComplete="new-password"
            visibilityToggleButtonProps={showPassword}
            {...form.getInputProps('next')}
          />
          <PasswordInput
            label="New password again"
            autoComplete="new-password"
            visibilityToggleButtonProps={showPassword}
            {...form.getInputProps('again')}
          />
          <Group>
            <Button type="submit" loading={form.submitting}>
              Change password
            </Button>
          </Group>
        </Stack>
      </form>
    </Section>
  )
}
