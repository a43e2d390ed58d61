import { Button, Select, Stack, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconUserPlus } from '@tabler/icons-react'
import { useState } from 'react'
import { CreationDialog } from '../../components/dialogs/creation-dialog.tsx'
import { FormButtons } from '../../components/dialogs/form-buttons.tsx'
import { useAttempt } from '../../components/dialogs/use-attempt.ts'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { useCreation } from '../../graphql/use-change.ts'
import { InvitationLink } from './invitation-link.tsx'
import { CreateInvitationDocument, type RoleFieldsFragment } from './members.generated.ts'
import { useGrantable } from './use-grantable.ts'

interface InviteProps {
  roles: readonly RoleFieldsFragment[]
}

export function InviteButton({ roles }: InviteProps) {
  const [opened, { open, close }] = useDisclosure()
  return (
    <>
      <Button leftSection={<IconUserPlus size={16} />} onClick={open}>
        Invite
      </Button>
      <CreationDialog<string>
        opened={opened}
        onClose={close}
        title="Invite a person"
        createdTitle="Invitation created"
        form={(onCreated) => <InviteForm roles={roles} onCreated={onCreated} onCancel={close} />}
      >
        {(link) => <InvitationLink link={link} onDone={close} />}
      </CreationDialog>
    </>
  )
}

interface InviteFormProps extends InviteProps {
  onCreated: (link: string) => void
  onCancel: () => void
}

function InviteForm({ roles, onCreated, onCancel }: InviteFormProps) {
  const create = useCreation(CreateInvitationDocument, ['Invitation', 'Role'])
  const choices = roles.filter(useGrantable())
  const [email, setEmail] = useState('')
  const [roleId, setRoleId] = useState(choices[0]?.id ?? null)
  const { submit, isRunning, error } = useAttempt(async () => {
    if (roleId === null) return
    const { createInvitation } = await create({ roleId, email: email.trim() || null })
    onCreated(createInvitation.link ?? '')
  })
  return (
    <form onSubmit={submit}>
      <Stack>
        <ErrorNotice error={error} title="The invitation was not created" labels={{ email: 'Email' }} />
        <TextInput
          label="Email"
          description="Optional. The email address of the person you invite. If the server can send email, it sends the link to this address."
          value={email}
          onChange={({ currentTarget }) => setEmail(currentTarget.value)}
          data-autofocus
        />
        <Select
          label="Role"
          data={choices.map(({ id, name }) => ({ value: id, label: name }))}
          value={roleId}
          onChange={setRoleId}
          allowDeselect={false}
        />
        <FormButtons onCancel={onCancel} loading={isRunning}>
          Create link
        </FormButtons>
      </Stack>
    </form>
  )
}
