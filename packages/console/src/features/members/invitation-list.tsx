import { Button, Group, Modal, Table } from '@mantine/core'
import { useState } from 'react'
import { ConfirmButton } from '../../components/dialogs/confirm-button.tsx'
import { notifyError } from '../../components/error-notice.tsx'
import { ListRow, ListTable } from '../../components/list-table.tsx'
import { Time } from '../../components/time.tsx'
import { useChange } from '../../graphql/use-change.ts'
import { InvitationLink } from './invitation-link.tsx'
import {
  DeleteInvitationDocument,
  type InvitationFieldsFragment,
  ResendInvitationDocument,
} from './members.generated.ts'

interface InvitationListProps {
  invitations: readonly InvitationFieldsFragment[]
  canManage: boolean
}

export function InvitationList({ invitations, canManage }: InvitationListProps) {
  const [link, setLink] = useState<string>()
  const close = (): void => setLink(undefined)
  return (
    <>
      <ListTable label="Invitations" columns={['For', 'Role', 'Invited by', 'Expires', '']} minWidth={700}>
        {invitations.map((invitation) => (
          <ListRow key={invitation.id}>
            <Table.Td miw={160} style={{ overflowWrap: 'anywhere' }}>
              {invitation.email ?? 'anyone with the link'}
            </Table.Td>
            {invitation.role.name}
            <Table.Td miw={160} style={{ overflowWrap: 'anywhere' }}>
              {invitation.createdBy?.user?.email}
            </Table.Td>
            <Time value={invitation.expires} />
            {canManage ? <Actions invitation={invitation} onLink={setLink} /> : null}
          </ListRow>
        ))}
      </ListTable>
      <Modal
        opened={link !== undefined}
        onClose={close}
        title="New link"
        closeOnClickOutside={false}
        closeOnEscape={false}
      >
        <InvitationLink link={link ?? ''} onDone={close} />
      </Modal>
    </>
  )
}

interface ActionsProps {
  invitation: InvitationFieldsFragment
  onLink: (link: string) => void
}

function Actions({ invitation: { id, email }, onLink }: ActionsProps) {
  const resend = useChange(ResendInvitationDocument)
  const remove = useChange(DeleteInvitationDocument, ['Invitation', 'Role'])
  const name = email ?? 'anyone with the link'
  const createLink = (): Promise<void> =>
    resend({ id }).then(
      ({ resendInvitation }) => onLink(resendInvitation.link ?? ''),
      (error) => notifyError('No link was created', error),
    )
  return (
    <Group gap="xs" wrap="nowrap">
      <Button size="compact-sm" variant="default" onClick={createLink} aria-label={`New link for ${name}`}>
        New link
      </Button>
      <ConfirmButton
        label="Delete"
        size="compact-sm"
        aria-label={`Delete the invitation for ${name}`}
        title={`Delete the invitation for ${name}?`}
        confirm="Delete invitation"
        danger
        onConfirm={() => remove({ id })}
      >
        The invitation link stops working.
      </ConfirmButton>
    </Group>
  )
}
