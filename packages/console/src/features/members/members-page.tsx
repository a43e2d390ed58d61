import { Text } from '@mantine/core'
import { useQuery } from 'urql'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { Loading } from '../../components/loading.tsx'
import { NotAllowed } from '../../components/not-allowed.tsx'
import { Section } from '../../components/section.tsx'
import { useTypes } from '../../graphql/use-change.ts'
import { useViewer } from '../user-settings/viewer.ts'
import { InvitationList } from './invitation-list.tsx'
import { InviteButton } from './invite-button.tsx'
import { LeaveButton } from './leave-button.tsx'
import { MemberList } from './member-list.tsx'
import { MembersDocument } from './members.generated.ts'
import { NewRoleButton } from './role-dialog.tsx'
import { RoleList } from './role-list.tsx'

export function MembersPage() {
  const { may } = useViewer()
  if (may('MEMBER_MANAGE') || may('AUDIT_READ')) return <Members />
  return (
    <Section title="Members" actions={<LeaveButton />}>
      <NotAllowed permissions={['MEMBER_MANAGE', 'AUDIT_READ']}>You cannot see the members of this account.</NotAllowed>
    </Section>
  )
}

function Members() {
  const { may } = useViewer()
  const context = useTypes('Member', 'Role', 'Invitation')
  const [{ data, error }, refetch] = useQuery({
    query: MembersDocument,
    variables: { canReadViews: may('DEVICE_READ') },
    context,
  })
  if (error !== undefined && !data?.login)
    return <ErrorNotice error={error} title="The members could not be loaded" onRetry={refetch} />
  if (!data?.login) return <Loading what="members" />
  const { members, roles, invitations } = data.login
  const canManage = may('MEMBER_MANAGE')
  return (
    <>
      <Section
        title="Members"
        about={
          canManage
            ? 'These people are members of this account. A role change takes effect within a second.'
            : 'These people are members of this account. Only members with the permission MEMBER_MANAGE, such as admins, can invite, change, or remove members.'
        }
        actions={<LeaveButton />}
      >
        <MemberList members={members} roles={roles} />
      </Section>
      <Section
        title="Invitations"
        about="Each link lets one person join the account before the link expires. Anyone with the link can use it."
        actions={canManage ? <InviteButton roles={roles} /> : undefined}
      >
        {invitations.length === 0 ? <Text c="dimmed">No invitations</Text> : null}
        {invitations.length > 0 ? <InvitationList invitations={invitations} canManage={canManage} /> : null}
      </Section>
      <Section
        title="Roles"
        about="A role determines what its members can do, and with which devices and attributes. You cannot give a role permissions that you do not have."
        actions={canManage ? <NewRoleButton /> : undefined}
      >
        <RoleList roles={roles} members={members} invitations={invitations} />
      </Section>
    </>
  )
}
