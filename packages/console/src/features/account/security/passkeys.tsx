import { Button, Group, Table, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconFingerprint, IconPlus } from '@tabler/icons-react'
import { ConfirmButton } from '../../../components/dialogs/confirm-button.tsx'
import { ErrorNotice } from '../../../components/error-notice.tsx'
import { ListRow, ListTable } from '../../../components/list-table.tsx'
import { Loading } from '../../../components/loading.tsx'
import { Section } from '../../../components/section.tsx'
import { Time } from '../../../components/time.tsx'
import { supportsPasskeys } from '../../sign-in/auth-api.ts'
import { addPasskey, deletePasskey, listPasskeys, type Passkey, renamePasskey } from '../account-api.ts'
import { RenameDialog } from '../rename-dialog.tsx'
import { useLoad } from '../use-load.ts'

export function Passkeys() {
  const { data: passkeys, error, reload } = useLoad(listPasskeys)
  const [adding, add] = useDisclosure()
  return (
    <Section
      title="Passkeys"
      about="Sign in with a fingerprint, face, PIN, or security key instead of a password."
      actions={
        supportsPasskeys() ? (
          <Button variant="default" leftSection={<IconPlus size={16} />} onClick={add.open}>
            Add a passkey
          </Button>
        ) : null
      }
    >
      <ErrorNotice error={error} title="The passkeys could not be loaded" onRetry={reload} />
      {passkeys === undefined && error === undefined ? <Loading what="passkeys" /> : null}
      {passkeys?.length === 0 ? (
        <Group gap="xs" wrap="nowrap">
          <IconFingerprint size={18} aria-hidden="true" style={{ flexShrink: 0 }} />
          <Text c="dimmed">
            {supportsPasskeys()
              ? 'No passkeys yet.'
              : 'No passkeys yet. Browsers support passkeys only on HTTPS addresses with a host name and on http://localhost. To add a passkey, open the console at such an address.'}
          </Text>
        </Group>
      ) : null}
      {passkeys === undefined || passkeys.length === 0 ? null : (
        <ListTable label="Passkeys" columns={['Name', 'Added', '']} minWidth={380}>
          {passkeys.map((passkey) => (
            <PasskeyRow key={passkey.id} passkey={passkey} onChanged={reload} />
          ))}
        </ListTable>
      )}
      <RenameDialog
        opened={adding}
        onClose={add.close}
        what="passkey"
        title="Add a passkey"
        confirm="Continue"
        name={null}
        onRename={async (name) => {
          await addPasskey(name ?? 'Passkey')
          await reload()
        }}
      />
    </Section>
  )
}

function PasskeyRow({ passkey, onChanged }: { passkey: Passkey; onChanged: () => Promise<void> }) {
  const { id, name, created } = passkey
  const [renaming, rename] = useDisclosure()
  const shown = name ?? 'Passkey'
  return (
    <ListRow>
      {shown}
      <Time value={created} />
      <Table.Td>
        <Group gap="xs" wrap="nowrap">
          <Button variant="default" size="compact-sm" onClick={rename.open}>
            Rename
          </Button>
          <ConfirmButton
            label="Remove"
            size="compact-sm"
            title={`Remove the passkey ${shown}?`}
            confirm="Remove passkey"
            danger
            onConfirm={() => deletePasskey(id).then(onChanged)}
          >
            You will no longer be able to sign in with this passkey. Also remove it from where it is stored, such as
            your phone or security key.
          </ConfirmButton>
        </Group>
        <RenameDialog
          opened={renaming}
          onClose={rename.close}
          what="passkey"
          name={name}
          onRename={async (given) => {
            await renamePasskey(id, given ?? 'Passkey')
            await onChanged()
          }}
        />
      </Table.Td>
    </ListRow>
  )
}
