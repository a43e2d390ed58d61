import { Anchor, Button, Checkbox, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useAttempt } from '../../components/dialogs/use-attempt.ts'
import { verifyBackupCode, verifyTotp } from './auth-api.ts'
import { AuthError } from './auth-call.ts'
import { SignInError } from './sign-in-error.tsx'

export function CodeForm({ onDone, onRestart }: { onDone: () => void; onRestart: () => void }) {
  const [isBackup, setBackup] = useState(false)
  const [code, setCode] = useState('')
  const [trustDevice, setTrustDevice] = useState(false)
  const { submit, isRunning, error } = useAttempt(async () => {
    const given = { code: isBackup ? code.trim() : code.replaceAll(/\s/g, ''), trustDevice }
    try {
      await (isBackup ? verifyBackupCode(given) : verifyTotp(given))
      onDone()
    } catch (failure) {
      setCode('')
      throw failure
    }
  })
  const isExpired = error instanceof AuthError && error.reason === 'sign-in-expired'
  return (
    <form onSubmit={submit}>
      <Stack>
        {error === undefined ? null : <SignInError error={error} />}
        <Text size="sm">
          {isBackup
            ? 'Enter one of your backup codes. Each code works once.'
            : 'Enter the code from your authenticator app.'}
        </Text>
        <TextInput
          key={isBackup ? 'backup' : 'totp'}
          label={isBackup ? 'Backup code' : 'Code'}
          value={code}
          onChange={({ currentTarget }) => setCode(currentTarget.value)}
          inputMode={isBackup ? 'text' : 'numeric'}
          autoComplete="one-time-code"
          autoFocus
          required
          withAsterisk={false}
        />
        <Checkbox
          label="Do not ask for a code in this browser for 30 days"
          checked={trustDevice}
          onChange={({ currentTarget }) => setTrustDevice(currentTarget.checked)}
        />
        <Button type="submit" loading={isRunning} disabled={isExpired}>
          Sign in
        </Button>
        <Anchor component="button" type="button" size="sm" onClick={() => setBackup(!isBackup)}>
          {isBackup ? 'Use the authenticator app' : 'Use a backup code'}
        </Anchor>
        <Anchor component="button" type="button" size="sm" onClick={onRestart}>
          Start over
        </Anchor>
      </Stack>
    </form>
  )
}
