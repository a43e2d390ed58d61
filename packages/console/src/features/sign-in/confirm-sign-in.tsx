import { Anchor, Button, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { IconFingerprint } from '@tabler/icons-react'
import { type FormEvent, useEffect, useState } from 'react'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { useLoad } from '../account/use-load.ts'
import {
  confirmSignIn,
  confirmWithPasskey,
  type SignInOptions,
  signInOptions,
  supportsPasskeys,
  type WhoAmI,
  whoAmI,
} from './auth-api.ts'
import { AuthError } from './auth-call.ts'
import { SingleSignOn } from './single-sign-on.tsx'

interface ConfirmSignInProps {
  onConfirmed: () => Promise<void>
  onCancel: () => void
}

/**
 * Asks again for the password, a code, or a passkey before an operation that requires a recent sign-in. If the server
 * accepts only single sign-on, asks the user to sign in again.
 */
export function ConfirmSignIn({ onConfirmed, onCancel }: ConfirmSignInProps) {
  const { data: options, error, reload } = useLoad(signInOptions)
  if (error !== undefined) {
    return (
      <Stack>
        <ErrorNotice error={error} onRetry={reload} />
        <BackButton onClick={onCancel} />
      </Stack>
    )
  }
  if (options === undefined) return null
  return options.password ? (
    <ConfirmationForm onConfirmed={onConfirmed} onCancel={onCancel} />
  ) : (
    <SignInAgain options={options} onCancel={onCancel} />
  )
}

function SignInAgain({ options, onCancel }: Pick<ConfirmSignInProps, 'onCancel'> & { options: SignInOptions }) {
  const { pathname, search, hash } = window.location
  return (
    <Stack>
      <Text>You signed in more than an hour ago. Sign in again, and then repeat your action.</Text>
      {options.singleSignOn === null ? null : (
        <SingleSignOn name={options.singleSignOn.name} to={`${pathname}${search}${hash}`} isOnlyWay />
      )}
      <BackButton onClick={onCancel} />
    </Stack>
  )
}

const BackButton = ({ onClick }: { onClick: () => void }) => (
  <Group justify="flex-end">
    <Button variant="default" onClick={onClick}>
      Back
    </Button>
  </Group>
)

function ConfirmationForm({ onConfirmed, onCancel }: ConfirmSignInProps) {
  const [user, setUser] = useState<WhoAmI>()
  const [isCode, setCode] = useState(false)
  const [value, setValue] = useState('')
  const [running, setRunning] = useState<'typed' | 'passkey'>()
  const [error, setError] = useState<unknown>()

  useEffect(() => {
    whoAmI().then(setUser, setError)
  }, [])

  const run = async (method: 'typed' | 'passkey', confirm: () => Promise<unknown>): Promise<void> => {
    setRunning(method)
    setError(undefined)
    try {
      await confirm()
      await onConfirmed()
    } catch (failure) {
      setValue('')
      setError(failure)
    } finally {
      setRunning(undefined)
    }
  }
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    void run('typed', () => confirmSignIn(isCode ? { code: value.replaceAll(/\s/g, '') } : { password: value }))
  }

  const hasPassword = user?.password ?? true
  const canUsePasskey = supportsPasskeys() && (user?.passkeys ?? 0) > 0
  const wrong = wrongInput(error)
  const field = {
    value,
    error: wrong,
    onChange: ({ currentTarget }: { currentTarget: HTMLInputElement }) => setValue(currentTarget.value),
    'data-autofocus': true,
    autoFocus: true,
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text>You signed in more than an hour ago. Confirm your identity to continue.</Text>
        {wrong === undefined ? <ErrorNotice error={error} /> : null}
        {hasPassword || canUsePasskey ? null : (
          <Text>You have no password and no passkey that you can use here. Sign out, and sign in again.</Text>
        )}
        {!hasPassword ? null : isCode ? (
          <TextInput
            key="code"
            label="Code"
            description="From your authenticator app"
            inputMode="numeric"
            autoComplete="one-time-code"
            {...field}
          />
        ) : (
          <PasswordInput key="password" label="Your password" autoComplete="current-password" {...field} />
        )}
        {user?.totp ? (
          <Anchor component="button" type="button" size="sm" onClick={() => setCode(!isCode)}>
            {isCode ? 'Use the password' : 'Use a code from your authenticator app'}
          </Anchor>
        ) : null}
        {canUsePasskey ? (
          <Button
            variant="default"
            leftSection={<IconFingerprint size={18} />}
            loading={running === 'passkey'}
            onClick={() => run('passkey', confirmWithPasskey)}
          >
            Use a passkey
          </Button>
        ) : null}
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            Back
          </Button>
          {hasPassword ? (
            <Button type="submit" loading={running === 'typed'} disabled={value === ''}>
              Confirm
            </Button>
          ) : null}
        </Group>
      </Stack>
    </form>
  )
}

function wrongInput(error: unknown): string | undefined {
  if (!(error instanceof AuthError)) return undefined
  if (error.reason === 'wrong-password') return 'Wrong password'
  if (error.reason === 'wrong-code')
    return 'Wrong code, or the code was already used. Enter the next code that the app shows.'
  return undefined
}
