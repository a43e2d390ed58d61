import { Button, Checkbox, Group, Modal, Stack, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPlus } from '@tabler/icons-react'
import { type FormEvent, useState } from 'react'
import { ErrorNotice } from '../../components/error-notice.tsx'
import type { Permission } from '../../graphql/schema-types.generated.ts'
import { useChange, useCreation } from '../../graphql/use-change.ts'
import { useViewer } from '../user-settings/viewer.ts'
import { CreateRoleDocument, type RoleFieldsFragment, UpdateRoleDocument } from './members.generated.ts'
import { permissionTexts } from './permissions.ts'

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
  /** Role to change. Omit to create a role. */
  role?: RoleFieldsFragment
}

export function RoleDialog({ opened, ...form }: RoleFormProps & { opened: boolean }) {
  return (
    <Modal opened={opened} onClose={form.onClose} title={form.role === undefined ? 'New role' : 'Change role'}>
      <RoleForm {...form} />
    </Modal>
  )
}

/** Mounts each time the dialog opens, so that it starts with the current values. */
function RoleForm({ onClose, role }: RoleFormProps) {
  const { may } = useViewer()
  const create = useCreation(CreateRoleDocument, ['Role'])
  const update = useChange(UpdateRoleDocument, ['Role'])
  const [name, setName] = useState(role?.name ?? '')
  const [chosen, setChosen] = useState<string[]>(role?.permissions ?? ['DEVICE_READ', 'EVENT_READ'])
  const [running, setRunning] = useState(false)
  const [error, setError] = useState<unknown>()
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    setRunning(true)
    setError(undefined)
    const given = { name: name.trim(), permissions: chosen as Permission[] }
    try {
      await (role === undefined ? create(given) : update({ id: role.id, ...given }))
      onClose()
    } catch (failure) {
      setError(failure)
    } finally {
      setRunning(false)
    }
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        {error === undefined ? null : <ErrorNotice error={error} title="The role was not saved" />}
        <TextInput
          label="Name"
          value={name}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
          required
          withAsterisk={false}
          data-autofocus
        />
        <Checkbox.Group label="Members may" value={chosen} onChange={setChosen}>
          <Stack gap={6} mt={4}>
            {permissionTexts.map(([permission, text]) => (
              <Checkbox
                key={permission}
                value={permission}
                label={text}
                disabled={!may(permission)}
                description={may(permission) ? undefined : 'You do not have this permission'}
              />
            ))}
          </Stack>
        </Checkbox.Group>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={running}>
            {role === undefined ? 'Create role' : 'Save'}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
