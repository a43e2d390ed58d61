import { Button, Group, PasswordInput, Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useState } from 'react'
import { ErrorNotice } from '../../../components/error-notice.tsx'
import { Section } from '../../../components/section.tsx'
import { AuthError } from '../../sign-in/auth-call.ts'
import { changePassword } from '../account-api.ts'

const MIN_LENGTH = 12

export function PasswordSection() {
  const [error, setError] = useState<unknown>()
  const form = useForm({
    initialValues: { current: '', next: '', repeated: '' },
    validate: {
      current: (value) => (value === '' ? 'Enter your current password' : null),
      next: (value) => (value.length < MIN_LENGTH ? `Enter at least ${MIN_LENGTH} characters` : null),
      repeated: (value, { next }) => (value === next ? null : 'The passwords do not match'),
    },
  })
  const submit = form.onSubmit(async ({ current, next }) => {
    setError(undefined)
    try {
      await changePassword(current, next)
      form.reset()
      notifications.show({ message: 'Your password was changed. All other browsers are signed out.' })
    } catch (failure) {
      if (failure instanceof AuthError && failure.reason === 'wrong-password')
        form.setFieldError('current', 'Wrong password')
      else setError(failure)
    }
  })
  return (
    <Section title="Password" about="Changing the password signs out all other browsers.">
      <form onSubmit={submit}>
        <Stack maw={360} gap="xs">
          <ErrorNotice error={error} />
          <PasswordInput label="Current password" autoComplete="current-password" {...form.getInputProps('current')} />
          <PasswordInput
            label="New password"
            description={`At least ${MIN_LENGTH} characters`}
            autoComplete="new-password"
            {...form.getInputProps('next')}
          />
          <PasswordInput
            label="Repeat the new password"
            autoComplete="new-password"
            {...form.getInputProps('repeated')}
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
