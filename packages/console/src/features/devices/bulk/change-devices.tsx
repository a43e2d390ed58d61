import { Select } from '@mantine/core'
import { useState } from 'react'
import { useViewer } from '../../user-settings/viewer.ts'
import { AttributeChange } from './changes/attribute-change.tsx'
import type { ChangeFormProps } from './changes/change-form-props.ts'
import { FieldChange } from './changes/field-change.tsx'
import { AddedService, RemovedServices } from './changes/service-changes.tsx'
import { JobDialog } from './job-form.tsx'
import type { SelectedDevices } from './selected-devices.ts'
import { useCreateJob } from './use-create-job.ts'

interface ChangeDevicesProps {
  devices: SelectedDevices
  count: number | undefined
  onClose(): void
}

const actions = {
  set: { label: 'Set an attribute', permission: 'ATTRIBUTE_WRITE' },
  remove: { label: 'Remove an attribute', permission: 'ATTRIBUTE_WRITE' },
  field: { label: 'Set a field', permission: 'DEVICE_WRITE' },
  addService: { label: 'Add a service', permission: 'DEVICE_WRITE' },
  removeServices: { label: 'Remove services', permission: 'DEVICE_WRITE' },
  setOfServices: { label: 'Set an attribute of services', permission: 'ATTRIBUTE_WRITE' },
  removeOfServices: { label: 'Remove an attribute of services', permission: 'ATTRIBUTE_WRITE' },
} as const

type Action = keyof typeof actions

const groups: { group: string; items: Action[] }[] = [
  { group: 'Devices', items: ['set', 'remove', 'field'] },
  { group: 'Services', items: ['addService', 'removeServices', 'setOfServices', 'removeOfServices'] },
]

export function ChangeDevices({ devices, count, onClose }: ChangeDevicesProps) {
  const onSubmit = useCreateJob(devices)
  const { may } = useViewer()
  const data = groups
    .map(({ group, items }) => ({ group, items: items.filter((name) => may(actions[name].permission)) }))
    .map(({ group, items }) => ({ group, items: items.map((value) => ({ value, label: actions[value].label })) }))
  const title = `Change ${count?.toLocaleString() ?? 'the selected'} ${count === 1 ? 'device' : 'devices'}`
  const [action, setAction] = useState<Action>(data.flatMap(({ items }) => items)[0]?.value ?? 'set')
  const form = {
    onClose,
    onSubmit,
    children: (
      <Select
        label="Action"
        allowDeselect={false}
        data={data.filter(({ items }) => items.length > 0)}
        value={action}
        onChange={(chosen) => setAction(chosen as Action)}
      />
    ),
  }
  return (
    <JobDialog devices={devices} title={title} onClose={onClose}>
      <ChangeForm action={action} {...form} />
    </JobDialog>
  )
}

function ChangeForm({ action, ...form }: { action: Action } & ChangeFormProps) {
  switch (action) {
    case 'set':
    case 'remove':
      return <AttributeChange of="devices" isRemoval={action === 'remove'} {...form} />
    case 'setOfServices':
    case 'removeOfServices':
      return <AttributeChange of="services" isRemoval={action === 'removeOfServices'} {...form} />
    case 'field':
      return <FieldChange {...form} />
    case 'addService':
      return <AddedService {...form} />
    case 'removeServices':
      return <RemovedServices {...form} />
  }
}
