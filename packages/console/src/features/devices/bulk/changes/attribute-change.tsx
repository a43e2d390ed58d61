import { Autocomplete, TextInput } from '@mantine/core'
import { useRef, useState } from 'react'
import { useAttributeNames } from '../../../attributes/use-attribute-names.ts'
import { typedFilter } from '../../../filters/filter-field.tsx'
import { labeledFields, useLabels } from '../../../user-settings/labels.ts'
import { JobForm } from '../job-form.tsx'
import type { ChangeFormProps } from './change-form-props.ts'
import { requireFilter, ServicesField } from './services-filter-field.tsx'
import { ValueInput } from './value-input.tsx'

interface AttributeChangeProps extends ChangeFormProps {
  of: 'devices' | 'services'
  isRemoval: boolean
}

export function AttributeChange({ of, isRemoval, children, onClose, onSubmit }: AttributeChangeProps) {
  const labels = useLabels()
  const ofDevices = of === 'devices'
  const reserved = new Map(ofDevices ? labeledFields.map((field) => [labels[field], `$svc.${field}`]) : [])
  const { names = [] } = useAttributeNames()
  const known = names.filter((each) => each[of] > 0 && !each.name.startsWith('$')).map(({ name }) => name)
  const box = useRef<HTMLDivElement>(null)
  const [name, setName] = useState('')
  const [value, setValue] = useState('')
  const [context, setContext] = useState('')
  const submit = async (): Promise<void> => {
    const typed = name.trim()
    const attributes = { [reserved.get(typed) ?? typed]: isRemoval ? null : value }
    const services = ofDevices ? {} : { services: requireFilter(typedFilter(box)) }
    const title = `${isRemoval ? 'Remove' : 'Set'} ${typed}${ofDevices ? '' : ' of services'}`
    await onSubmit(title, { setAttributes: { attributes, context: context.trim() || null, ...services } })
  }
  return (
    <JobForm isComplete={name.trim() !== ''} onClose={onClose} onSubmit={submit}>
      {children}
      {ofDevices ? null : <ServicesField description="The job changes the attribute of matching services." box={box} />}
      <Autocomplete
        label="Attribute"
        required
        data={[...new Set([...reserved.keys(), ...known])]}
        value={name}
        onChange={setName}
        limit={50}
        data-autofocus
      />
      {isRemoval ? null : <ValueInput value={value} onChange={setValue} />}
      <TextInput
        label="Context"
        description="The job changes the overrides in this context. Leave empty to change base values."
        value={context}
        onChange={(event) => setContext(event.currentTarget.value)}
      />
    </JobForm>
  )
}
