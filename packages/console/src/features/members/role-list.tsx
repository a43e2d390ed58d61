import { Button, Group, Table } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { ConfirmButton } from '../../components/confirm-button.tsx'
import { ListTable } from '../../components/list-table.tsx'
import { useChange } from '../../graphql/use-change.ts'
import { DeleteRoleDocument, type RoleFieldsFragment } from './members.generated.ts'
import { permissionTexts } from './permissions.ts'
import { RoleDialog } from './role-dialog.tsx'

interface RoleListProps {
  roles: readonly RoleFieldsFragment[]
  canManage: boolean
}

export function RoleList({ roles, canManage }: RoleListProps) {
  return (
    <ListTable label="Roles" columns={['Role', 'Members', 'May', '']} minWidth={700}>
      {roles.map((role) => (
        <Table.Tr key={role.id}>
          <Table.Td miw={110} style={{ overflowWrap: 'anywhere' }}>
            {role.name}
          </Table.Td>
          <Table.Td>{role.members}</Table.Td>
          <Table.Td>{summary(role)}</Table.Td>
          <Table.Td>{canManage && !role.builtIn ? <Actions role={role} /> : null}</Table.Td>
        </Table.Tr>
      ))}
    </ListTable>
  )
}

function summary({ id, permissions }: RoleFieldsFragment): string {
  if (id === 'owner') return 'everything'
  if (permissions.length === permissionTexts.length) return 'everything, except changing owners'
  const allowed = permissionTexts.filter(([name]) => permissions.includes(name)).map(([, text]) => text)
  return allowed.join('; ')
}

function Actions({ role }: { role: RoleFieldsFragment }) {
  const [opened, { open, close }] = useDisclosure()
  const remove = useChange(DeleteRoleDocument, ['Role'])
  return (
    <Group gap="xs" wrap="nowrap">
      <Button size="compact-sm" variant="default" onClick={open} aria-label={`Change ${role.name}`}>
        Change
      </Button>
      <RoleDialog opened={opened} onClose={close} role={role} />
      <ConfirmButton
        label="Delete"
        size="compact-sm"
        aria-label={`Delete ${role.name}`}
        title={`Delete the role ${role.name}?`}
        confirm="Delete role"
        danger
        onConfirm={() => remove({ id: role.id })}
      >
        You cannot delete a role that a member or an open invitation has.
      </ConfirmButton>
    </Group>
  )
}
