import { Badge, Button, Group, Modal } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { CreationDialog } from '../../../components/dialogs/creation-dialog.tsx'
import { Section } from '../../../components/section.tsx'
import { disableTotp, renewBackupCodes } from '../account-api.ts'
import { BackupCodes } from './backup-codes.tsx'
import { PasswordStep } from './password-step.tsx'
import { TotpEnrollment } from './totp-enrollment.tsx'

export function TotpSection({ isOn, onChanged }: { isOn: boolean; onChanged: () => Promise<void> }) {
  const [enrolling, enroll] = useDisclosure()
  const [disabling, disable] = useDisclosure()
  const [renewing, renew] = useDisclosure()
  return (
    <Section
      title="Two-factor authentication"
      about="With two-factor authentication, a password sign-in also requires a backup code or a code from an authenticator app. When you sign in, you can choose to skip the code in that browser for 30 days."
    >
      <Group gap="sm">
        <Badge color={isOn ? 'teal' : 'gray'}>{isOn ? 'on' : 'off'}</Badge>
        {isOn ? (
          <>
            <Button variant="default" onClick={renew.open}>
              New backup codes
            </Button>
            <Button variant="default" onClick={disable.open}>
              Turn off
            </Button>
          </>
        ) : (
          <Button onClick={enroll.open}>Turn on</Button>
        )}
      </Group>
      <TotpEnrollment opened={enrolling} onClose={enroll.close} onDone={onChanged} />
      <Modal opened={disabling} onClose={disable.close} title="Turn off two-factor authentication?">
        <PasswordStep
          confirm="Turn off"
          danger
          onCancel={disable.close}
          onPassword={async (password) => {
            await disableTotp(password)
            disable.close()
            await onChanged()
          }}
        >
          Without two-factor authentication, you can sign in with only the password. Backup codes stop working.
        </PasswordStep>
      </Modal>
      <NewBackupCodes opened={renewing} onClose={renew.close} />
    </Section>
  )
}

const NewBackupCodes = ({ opened, onClose }: { opened: boolean; onClose: () => void }) => (
  <CreationDialog<string[]>
    opened={opened}
    onClose={onClose}
    title="New backup codes"
    createdTitle="New backup codes"
    form={(onCreated) => (
      <PasswordStep
        confirm="Create new codes"
        onCancel={onClose}
        onPassword={async (password) => onCreated(await renewBackupCodes(password))}
      >
        The new codes replace your current backup codes, which then stop working.
      </PasswordStep>
    )}
  >
    {(codes) => <BackupCodes codes={codes} onDone={onClose} />}
  </CreationDialog>
)
