import { PasswordInput, Stack, Text } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { FormButtons } from '../../../components/dialogs/form-buttons.tsx'
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
  const { submit, isRunning, error } = useAttempt(() => onPassword(password))
  const isWrong = error instanceof AuthError && error.reason === 'wrong-password'
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text>{children}</Text>
        {isWrong ? null : <ErrorNotice error={error} />}
        <PasswordInput
          label="Your password"
          autoComplete="current-password"
          value={password}
          error={isWrong ? 'Wrong password' : undefined}
          onChange={({ currentTarget }) => setPassword(currentTarget.value)}
          data-autofocus
        />
        <FormButtons
          onCancel={onCancel}
          color={danger ? 'red.9' : undefined}
          loading={isRunning}
          disabled={password === ''}
        >
          {confirm}
        </FormButtons>
      </Stack>
    </form>
  )
}
