import { Checkbox, Select, Table, Text } from '@mantine/core'
import { useState } from 'react'
import { ConfirmButton } from '../../components/dialogs/confirm-button.tsx'
import { notifyError } from '../../components/error-notice.tsx'
import { ListRow, ListTable } from '../../components/list-table.tsx'
import { Time } from '../../components/time.tsx'
import { useChange } from '../../graphql/use-change.ts'
import { useViewer } from '../user-settings/viewer.ts'
import {
  type MemberFieldsFragment,
  RemoveMemberDocument,
  type RoleFieldsFragment,
  SetMemberRoleDocument,
} from './members.generated.ts'
import { useGrantable } from './use-grantable.ts'

interface MemberListProps {
  members: readonly MemberFieldsFragment[]
  roles: readonly RoleFieldsFragment[]
}

export function MemberList({ members, roles }: MemberListProps) {
  return (
    <ListTable label="Members" columns={['Person', 'Role', 'Joined', 'Joined through', 'Last used', '']} minWidth={700}>
      {members.map((member) => (
        <MemberRow key={member.person.id} member={member} roles={roles} />
      ))}
    </ListTable>
  )
}

const sources: Readonly<Record<string, string>> = {
  founder: 'account creation',
  group: 'single sign-on group',
  invitation: 'invitation',
  operator: 'operator',
}

interface MemberRowProps {
  member: MemberFieldsFragment
  roles: readonly RoleFieldsFragment[]
}

function MemberRow({ member, roles }: MemberRowProps) {
  const { person, role, source, created, lastUsed } = member
  const { me, may, isOwner } = useViewer()
  const isSelf = me.person?.id === person.id
  const canChange = may('MEMBER_MANAGE') && (role.id !== 'owner' || isOwner)
  return (
    <ListRow>
      <Table.Td miw={160} style={{ overflowWrap: 'anywhere' }}>
        {person.name ?? person.email} {isSelf ? '(you)' : ''}
        {person.name === null ? null : (
          <Text size="xs" c="dimmed">
            {person.email}
          </Text>
        )}
      </Table.Td>
      {canChange ? <RoleSelect member={member} roles={roles} /> : role.name}
      <Time value={created} />
      {sources[source] ?? source}
      <Time value={lastUsed} />
      {canChange && !isSelf ? <RemoveButton member={member} /> : null}
    </ListRow>
  )
}

function RoleSelect({ member: { person, role }, roles }: MemberRowProps) {
  const isGrantable = useGrantable()
  const setRole = useChange(SetMemberRoleDocument, ['Member', 'Role'])
  const choices = roles.filter((each) => each.id === role.id || isGrantable(each))
  const change = (roleId: string | null): void => {
    if (roleId === null || roleId === role.id) return
    setRole({ personId: person.id, roleId }).catch((error) => notifyError('The role was not changed', error))
  }
  return (
    <Select
      aria-label={`Role of ${person.email}`}
      data={choices.map(({ id, name }) => ({ value: id, label: name }))}
      value={role.id}
      onChange={change}
      allowDeselect={false}
      w={170}
      maw="100%"
    />
  )
}

function RemoveButton({ member: { person, accountKeys } }: { member: MemberFieldsFragment }) {
  const remove = useChange(RemoveMemberDocument, ['Member', 'Role', 'AccessKey'])
  const [disableKeys, setDisableKeys] = useState(false)
  return (
    <ConfirmButton
      label="Remove"
      size="compact-sm"
      aria-label={`Remove ${person.email}`}
      title={`Remove ${person.email}?`}
      confirm="Remove member"
      danger
      onConfirm={() => remove({ personId: person.id, disableKeys })}
    >
      Within a second, this person’s sessions, personal keys, streams, and download links stop working for this account.
      {accountKeys === 0 ? null : (
        <Checkbox
          mt="sm"
          label={`Also disable the ${accountKeys === 1 ? 'account key' : `${accountKeys} account keys`} that this person created`}
          checked={disableKeys}
          onChange={({ currentTarget }) => setDisableKeys(currentTarget.checked)}
        />
      )}
    </ConfirmButton>
  )
}
