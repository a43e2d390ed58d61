import { Button, Modal, Stack, TagsInput, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPlus } from '@tabler/icons-react'
import { useRef, useState } from 'react'
import { changedFields } from '../../components/dialogs/changed-fields.ts'
import { FormButtons } from '../../components/dialogs/form-buttons.tsx'
import { useAttempt } from '../../components/dialogs/use-attempt.ts'
import { ErrorNotice } from '../../components/error-notice.tsx'
import type { AccessInput, Permission } from '../../graphql/schema-types.generated.ts'
import { useChange, useCreation } from '../../graphql/use-change.ts'
import { accessInput, restrictionOf, unrestricted } from '../access/access-values.ts'
import { PermissionChoice } from '../access/permission-choice.tsx'
import { RestrictionFields } from '../access/restriction-fields.tsx'
import { useLoad } from '../account/use-load.ts'
import { typedFilter } from '../filters/filter-field.tsx'
import { signInOptions } from '../sign-in/auth-api.ts'
import { CreateRoleDocument, type MembersQuery, UpdateRoleDocument } from './members.generated.ts'

export function NewRoleButton() {
  const [opened, { open, close }] = useDisclosure()
  return (
    <>
      <Button variant="default" leftSection={<IconPlus size={16} />} onClick={open}>
        New role
      </Button>
      <RoleDialog opened={opened} onClose={close} />
    </>
  )
}

interface RoleFormProps {
  onClose: () => void
  /** The role to change. If omitted, the dialog creates a role. */
  role?: Role
}

export function RoleDialog({ opened, ...form }: RoleFormProps & { opened: boolean }) {
  const { role } = form
  const title = role === undefined ? 'New role' : `Change ${role.name}`
  return (
    <Modal opened={opened} onClose={form.onClose} title={title} size="lg">
      <RoleForm {...form} />
    </Modal>
  )
}

const labels = { name: 'Name', where: 'Devices', view: 'View', context: 'Context', attributes: 'Attributes' }

/** Mounts each time the dialog opens, so the form starts with the current values. */
function RoleForm({ onClose, role }: RoleFormProps) {
  const save = useSaveRole(role)
  const box = useRef<HTMLDivElement>(null)
  const [name, setName] = useState(role?.name ?? '')
  const [permissions, setPermissions] = useState<Permission[]>(role?.permissions ?? ['DEVICE_READ', 'EVENT_READ'])
  const [restriction, setRestriction] = useState(role === undefined ? unrestricted : restrictionOf(role))
  const [groups, setGroups] = useState<string[]>(role?.groups ?? [])
  const { submit, isRunning, error } = useAttempt(async () => {
    const access = accessInput(permissions, { ...restriction, where: typedFilter(box) })
    await save({ name: name.trim(), access, groups })
    onClose()
  })
  return (
    <form onSubmit={submit}>
      <Stack>
        <ErrorNotice error={error} title="The role was not saved" labels={labels} />
        {role?.builtIn ? null : (
          <>
            <TextInput
              label="Name"
              value={name}
              onChange={({ currentTarget }) => setName(currentTarget.value)}
              required
              withAsterisk={false}
              data-autofocus
            />
            <PermissionChoice label="Members may" value={permissions} onChange={setPermissions} />
            <RestrictionFields
              what="role"
              permissions={permissions}
              value={restriction}
              onChange={setRestriction}
              box={box}
            />
          </>
        )}
        <GroupsInput value={groups} onChange={setGroups} />
        <FormButtons onCancel={onClose} loading={isRunning}>
          {role === undefined ? 'Create role' : 'Save'}
        </FormButtons>
      </Stack>
    </form>
  )
}

interface SavedRole {
  name: string
  access: AccessInput
  groups: string[]
}

function useSaveRole(role: Role | undefined): (saved: SavedRole) => Promise<unknown> {
  const [initial] = useState(role)
  const create = useCreation(CreateRoleDocument, ['Role'])
  const update = useChange(UpdateRoleDocument, ['Role'])
  return (saved) => {
    if (initial === undefined) return create(saved)
    const before = { ...initial, access: accessInput(initial.permissions, restrictionOf(initial)) }
    const { access, ...changed } = changedFields<SavedRole>(before, saved)
    return update({ id: initial.id, ...changed, ...(access && { access: changedFields(before.access, access) }) })
  }
}

function GroupsInput({ value, onChange }: { value: string[]; onChange: (value: string[]) => void }) {
  const { data } = useLoad(signInOptions)
  const provider = data?.singleSignOn?.name
  if (provider === undefined && value.length === 0) return null
  return (
    <TagsInput
      label="Single sign-on groups"
      description={`People in these groups get this role when they sign in with ${provider ?? 'single sign-on'}, unless their groups also match a role that takes precedence. The roles of members who joined in another way do not change.`}
      value={value}
      onChange={onChange}
      acceptValueOnBlur
    />
  )
}

export type Role = NonNullable<MembersQuery['login']>['roles'][number]
