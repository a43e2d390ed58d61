import { Button, Group, Table, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { ConfirmButton } from '../../components/dialogs/confirm-button.tsx'
import { ListRow, ListTable } from '../../components/list-table.tsx'
import { useChange } from '../../graphql/use-change.ts'
import { describePermissions, permissionTexts } from '../access/permissions.ts'
import { RestrictionSummary } from '../access/restriction-summary.tsx'
import { useLoad } from '../account/use-load.ts'
import { signInOptions } from '../sign-in/auth-api.ts'
import { SimulateButton } from '../simulation/simulate-button.tsx'
import { useViewer } from '../user-settings/viewer.ts'
import { DeleteRoleDocument, type InvitationFieldsFragment, type MemberFieldsFragment } from './members.generated.ts'
import { type Role, RoleDialog } from './role-dialog.tsx'
import { useGrantable } from './use-grantable.ts'

interface RoleListProps {
  roles: readonly Role[]
  members: readonly MemberFieldsFragment[]
  invitations: readonly InvitationFieldsFragment[]
}

export function RoleList({ roles, members, invitations }: RoleListProps) {
  const { data } = useLoad(signInOptions)
  const hasProvider = data?.singleSignOn != null
  return (
    <ListTable label="Roles" columns={['Role', 'Members', 'Permissions', '']} minWidth={700}>
      {roles.map((role) => (
        <RoleRow
          key={role.id}
          role={role}
          members={members.filter(hasRole(role)).length}
          invitations={invitations.filter(isOpen).filter(hasRole(role)).length}
          hasProvider={hasProvider}
        />
      ))}
    </ListTable>
  )
}

const hasRole =
  ({ id }: Role) =>
  ({ role }: { role: { id: string } }): boolean =>
    role.id === id

const isOpen = ({ expires }: InvitationFieldsFragment): boolean => Date.parse(expires) > Date.now()

interface RoleActionsProps {
  role: Role
  hasProvider: boolean
}

interface RoleRowProps extends RoleActionsProps {
  members: number
  invitations: number
}

function RoleRow({ role, members, invitations, hasProvider }: RoleRowProps) {
  const { name, groups } = role
  const { may } = useViewer()
  const isGrantable = useGrantable()
  return (
    <ListRow>
      <Table.Td miw={110} style={{ overflowWrap: 'anywhere' }}>
        {name}
        {groups.length === 0 ? null : (
          <Text size="xs" c="dimmed">
            groups: {groups.join(', ')}
          </Text>
        )}
      </Table.Td>
      <Table.Td>
        {members}
        {invitations === 0 ? null : (
          <Text size="xs" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
            {invitations === 1 ? '1 invitation' : `${invitations} invitations`}
          </Text>
        )}
      </Table.Td>
      <Table.Td>
        {summary(role)}
        <Text component="div" size="xs" c="dimmed">
          <RestrictionSummary restriction={role} />
        </Text>
      </Table.Td>
      <Group gap="xs" wrap="nowrap" justify="flex-end">
        {may('MEMBER_MANAGE') ? (
          <SimulateButton
            label="Simulate"
            aria-label={`Simulate ${name}`}
            size="compact-sm"
            title={`What may members with the role ${name} do?`}
            subject={{ roleId: role.id }}
          />
        ) : null}
        {isGrantable(role) ? <Actions role={role} hasProvider={hasProvider} /> : null}
      </Group>
    </ListRow>
  )
}

function summary({ id, permissions }: Role): string {
  if (id === 'owner') return 'everything'
  if (permissions.length === permissionTexts.length) return 'everything except changing owners'
  return describePermissions(permissions)
}

function Actions({ role, hasProvider }: RoleActionsProps) {
  const { id, name, builtIn, groups } = role
  const [opened, { open, close }] = useDisclosure()
  const remove = useChange(DeleteRoleDocument, ['Role'])
  // Users can change only the groups of a built-in role. Without a provider, new groups would have no effect.
  if (builtIn && groups.length === 0 && !hasProvider) return null
  return (
    <>
      <Button size="compact-sm" variant="default" onClick={open} aria-label={`Change ${name}`}>
        {builtIn ? 'Groups' : 'Change'}
      </Button>
      <RoleDialog opened={opened} onClose={close} role={role} />
      {builtIn ? null : (
        <ConfirmButton
          label="Delete"
          size="compact-sm"
          aria-label={`Delete ${name}`}
          title={`Delete the role ${name}?`}
          confirm="Delete role"
          danger
          onConfirm={() => remove({ id })}
        >
          You cannot delete a role that a member or an open invitation has.
        </ConfirmButton>
      )}
    </>
  )
}
