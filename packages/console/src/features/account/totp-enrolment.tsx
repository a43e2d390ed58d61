import { Button, Code, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { CopyButton } from '../../components/copy-button.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { AuthError } from '../sign-in/auth-call.ts'
import { beginTotp, confirmTotp, type TotpSetup } from './account-api.ts'
import { BackupCodes } from './backup-codes.tsx'
import { PasswordStep } from './password-step.tsx'
import { QrCode } from './qr-code.tsx'

interface TotpEnrolmentProps {
  opened: boolean
  onClose: () => void
  onDone: () => Promise<void>
}

type Step = 'password' | 'scan' | 'backup'

/**
 * Password, then the code to scan and a first code of the app, then the backup codes. Off until the first code was
 * right.
 */
export function TotpEnrolment({ opened, onClose, onDone }: TotpEnrolmentProps) {
  const [step, setStep] = useState<Step>('password')
  const [setup, setSetup] = useState<TotpSetup>()
  const forget = (): void => {
    setStep('password')
    setSetup(undefined)
  }
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      onExitTransitionEnd={forget}
      title="Turn on the second step"
      closeOnClickOutside={step === 'password'}
    >
      {step === 'password' || setup === undefined ? (
        <PasswordStep
          confirm="Continue"
          onCancel={onClose}
          onPassword={async (password) => {
            setSetup(await beginTotp(password))
            setStep('scan')
          }}
        >
          Have an authenticator app at hand, on your phone for example.
        </PasswordStep>
      ) : step === 'scan' ? (
        <ScanStep
          uri={setup.totpURI}
          onCancel={onClose}
          onRight={async () => {
            setStep('backup')
            await onDone()
          }}
        />
      ) : (
        <BackupCodes codes={setup.backupCodes} onDone={onClose} />
      )}
    </Modal>
  )
}

interface ScanStepProps {
  uri: string
  onCancel: () => void
  onRight: () => Promise<void>
}

function ScanStep({ uri, onCancel, onRight }: ScanStepProps) {
  const [code, setCode] = useState('')
  const [error, setError] = useState<unknown>()
  const isWrong = error instanceof AuthError && error.reason === 'wrong-code'
  const secret = new URL(uri).searchParams.get('secret') ?? ''
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    setError(undefined)
    try {
      await confirmTotp(code.replaceAll(/\s/g, ''))
      await onRight()
    } catch (failure) {
      setError(failure)
    }
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text>Scan this with the app, then enter the code that it shows.</Text>
        <QrCode text={uri} label="Code for the authenticator app" />
        <Group gap="xs">
          <Text size="sm" c="dimmed">
            Or type the key
          </Text>
          <Code style={{ overflowWrap: 'anywhere' }}>{secret}</Code>
          <CopyButton value={secret} what="key" />
        </Group>
        {error === undefined || isWrong ? null : <ErrorNotice error={error} />}
        <TextInput
          label="Code"
          inputMode="numeric"
          autoComplete="one-time-code"
          value={code}
          error={isWrong ? 'The code is wrong: take the one that shows now' : undefined}
          onChange={({ currentTarget }) => setCode(currentTarget.value)}
          data-autofocus
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" disabled={code.trim() === ''}>
            Turn on
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
