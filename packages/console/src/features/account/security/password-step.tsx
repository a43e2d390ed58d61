import { Button, Group, PasswordInput, Stack, Text } from '@mantine/core'
import { type FormEvent, type ReactNode, useState } from 'react'
import { useAttempt } from '../../../components/dialogs/use-attempt.ts'
import { ErrorNotice } from '../../../components/error-notice.tsx'
import { AuthError } from '../../sign-in/auth-call.ts'

interface PasswordStepProps {
  children: ReactNode
  confirm: string
  danger?: boolean
  onCancel: () => void
  onPassword: (password: string) => Promise<void>
}

/** Asks for the password before a sensitive change, because someone else may use an unattended browser. */
export function PasswordStep({ children, confirm, danger, onCancel, onPassword }: PasswordStepProps) {
  const [password, setPassword] = useState('')
  const { attempt, isRunning, error } = useAttempt(() => onPassword(password))
  const isWrong = error instanceof AuthError && error.reason === 'wrong-password'
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    void attempt()
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text>{children}</Text>
        {error === undefined || isWrong ? null : <ErrorNotice error={error} />}
        <PasswordInput
          label="Your password"
          autoComplete="current-password"
          value={password}
          error={isWrong ? 'Wrong password' : undefined}
          onChange={({ currentTarget }) => setPassword(currentTarget.value)}
          visibilityToggleButtonProps={{ 'aria-label': 'Show the password' }}
          data-autofocus
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" color={danger ? 'red.9' : undefined} loading={isRunning} disabled={password === ''}>
            {confirm}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
