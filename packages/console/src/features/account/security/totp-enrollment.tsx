import { Code, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { CopyButton } from '../../../components/copy-button.tsx'
import { FormButtons } from '../../../components/dialogs/form-buttons.tsx'
import { useAttempt } from '../../../components/dialogs/use-attempt.ts'
import { ErrorNotice } from '../../../components/error-notice.tsx'
import { AuthError } from '../../sign-in/auth-call.ts'
import { beginTotp, confirmTotp, type TotpSetup } from '../account-api.ts'
import { BackupCodes } from './backup-codes.tsx'
import { PasswordStep } from './password-step.tsx'
import { QrCode } from './qr-code.tsx'

interface TotpEnrollmentProps {
  opened: boolean
  onClose: () => void
  onDone: () => Promise<void>
}

type Step = 'password' | 'scan' | 'backup'

/** Sets up two-factor authentication, which stays off until the user enters a correct code. */
export function TotpEnrollment({ opened, onClose, onDone }: TotpEnrollmentProps) {
  const [step, setStep] = useState<Step>('password')
  const [setup, setSetup] = useState<TotpSetup>()
  const reset = (): void => {
    setStep('password')
    setSetup(undefined)
  }
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      onExitTransitionEnd={reset}
      title="Turn on two-factor authentication"
      closeOnClickOutside={step === 'password'}
      closeOnEscape={step !== 'backup'}
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
          You need an authenticator app, for example on your phone.
        </PasswordStep>
      ) : step === 'scan' ? (
        <ScanStep
          uri={setup.totpURI}
          onCancel={onClose}
          onConfirmed={async () => {
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
  onConfirmed: () => Promise<void>
}

function ScanStep({ uri, onCancel, onConfirmed }: ScanStepProps) {
  const [code, setCode] = useState('')
  const { submit, error } = useAttempt(async () => {
    await confirmTotp(code.replaceAll(/\s/g, ''))
    await onConfirmed()
  })
  const isWrong = error instanceof AuthError && error.reason === 'wrong-code'
  const secret = new URL(uri).searchParams.get('secret') ?? ''
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text>Scan this QR code with the app, then enter the code from the app.</Text>
        <QrCode text={uri} label="QR code for the authenticator app" />
        <Group gap="xs">
          <Text size="sm" c="dimmed">
            Or enter the key
          </Text>
          <Code style={{ overflowWrap: 'anywhere' }}>{secret}</Code>
          <CopyButton value={secret} what="key" />
        </Group>
        {isWrong ? null : <ErrorNotice error={error} />}
        <TextInput
          label="Code"
          inputMode="numeric"
          autoComplete="one-time-code"
          value={code}
          error={isWrong ? 'Wrong code. Enter the code that the app shows now.' : undefined}
          onChange={({ currentTarget }) => setCode(currentTarget.value)}
          data-autofocus
        />
        <FormButtons onCancel={onCancel} disabled={code.trim() === ''}>
          Turn on
        </FormButtons>
      </Stack>
    </form>
  )
}
