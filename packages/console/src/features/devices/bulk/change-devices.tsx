import { Autocomplete, Modal, SegmentedControl, Select, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { BulkOperationInput } from '../../../graphql/schema-types.generated.ts'
import { labeledFields, useLabels } from '../../user-settings/labels.ts'
import { useViewer } from '../../user-settings/viewer.ts'
import { JobForm } from './job-form.tsx'
import type { SelectedDevices } from './selected-devices.ts'
import { useCreateJob } from './use-create-job.ts'

interface ChangeDevicesProps {
  devices: SelectedDevices
  /** The number of selected devices, if known. */
  count: number | undefined
  names: readonly string[]
  onClose(): void
}

const actions = [
  { value: 'set', label: 'Set attribute', permission: 'ATTRIBUTE_WRITE' },
  { value: 'remove', label: 'Remove attribute', permission: 'ATTRIBUTE_WRITE' },
  { value: 'field', label: 'Set field', permission: 'DEVICE_WRITE' },
] as const

const fields = [
  { value: 'platform', label: 'Platform' },
  { value: 'hardwareId', label: 'Hardware ID' },
  { value: 'name', label: 'Name' },
]

const placeholders =
  '{name}, {id}, {hardwareId}, and any attribute name in braces stand for the device’s values. For a literal brace, write {{.'

/** Creates a job that changes an attribute or a field of the selected devices, and opens its preview. */
export function ChangeDevices({ devices, count, names, onClose }: ChangeDevicesProps) {
  const createJob = useCreateJob(devices)
  const { may } = useViewer()
  const labels = useLabels()
  const reserved = new Map(labeledFields.map((field) => [labels[field], `$svc.${field}`]))
  const allowed = actions.filter(({ permission }) => may(permission))
  const [action, setAction] = useState<string>(allowed[0]?.value ?? 'set')
  const [name, setName] = useState('')
  const [field, setField] = useState('platform')
  const [value, setValue] = useState('')
  const [context, setContext] = useState('')
  const isField = action === 'field'
  const submit = (): Promise<void> => {
    const typed = name.trim()
    const attributes = { [reserved.get(typed) ?? typed]: action === 'set' ? value : null }
    const operation: BulkOperationInput = isField
      ? { update: { [field]: value === '' ? null : value } }
      : { setAttributes: { attributes, context: context.trim() || null } }
    const fieldLabel = fields.find((each) => each.value === field)?.label
    return createJob(`${action === 'remove' ? 'Remove' : 'Set'} ${isField ? fieldLabel : typed}`, operation)
  }
  return (
    <Modal opened onClose={onClose} title={`Change ${count?.toLocaleString() ?? 'the selected'} devices`}>
      <JobForm isComplete={isField || name.trim() !== ''} onClose={onClose} onSubmit={submit}>
        <SegmentedControl
          fullWidth
          value={action}
          onChange={setAction}
          data={allowed.map(({ value, label }) => ({ value, label }))}
          aria-label="Action"
        />
        {isField ? (
          <Select
            label="Field"
            allowDeselect={false}
            data={fields}
            value={field}
            onChange={(chosen) => setField(chosen ?? 'platform')}
          />
        ) : (
          <Autocomplete
            label="Attribute"
            required
            data={[...new Set([...reserved.keys(), ...names])]}
            value={name}
            onChange={setName}
            limit={50}
            data-autofocus
          />
        )}
        {action === 'remove' ? null : (
          <Textarea
            label="Value"
            description={placeholders}
            autosize
            maxRows={8}
            value={value}
            onChange={(event) => setValue(event.currentTarget.value)}
          />
        )}
        {isField ? null : (
          <TextInput
            label="Context"
            description="Changes the overrides of this context. Leave empty to change base values."
            value={context}
            onChange={(event) => setContext(event.currentTarget.value)}
          />
        )}
      </JobForm>
    </Modal>
  )
}
