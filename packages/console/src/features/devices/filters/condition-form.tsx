import { Autocomplete, Button, Select, Stack, TagsInput, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import {
  addCondition,
  type ComparisonName,
  comparisons,
  isComparison,
  isPresence,
  nameAmongFields,
  subjectOf,
  takesList,
} from '../../filters/conditions.ts'
import { labeledFields, useLabels } from '../../user-settings/labels.ts'
import { useKnownValues } from './use-known-values.ts'

export interface ConditionFormProps {
  where: string | undefined
  names: readonly string[]
  context: string | undefined
  onChange(patch: { where: string | undefined; context: string | undefined }): void
  onClose(): void
}

const fields = [
  'name',
  'hardwareId',
  'id',
  'platform',
  'state',
  'stateSince',
  'lastReported',
  'created',
  'services.name',
  'services.port',
  'services.host',
]
const choices = Object.entries(comparisons).map(([value, label]) => ({ value, label }))

export function ConditionForm({ where, names, context, onChange, onClose }: ConditionFormProps) {
  const [name, setName] = useState('')
  const [comparison, setComparison] = useState<ComparisonName>('=')
  const [values, setValues] = useState<string[]>([])
  const [contextTyped, setContextTyped] = useState(context ?? '')
  const labels = useLabels()
  const reserved = new Map(labeledFields.map((field) => [labels[field], `$svc.${field}`]))
  const subject = reserved.get(name.trim()) ?? name.trim()
  const attributes = names.map(nameAmongFields)
  const isKnown = fields.includes(subject) || reserved.has(name.trim()) || attributes.includes(subject)
  const known = useKnownValues(isKnown && takesList(comparison) ? subject : undefined)

  const submit = (event: FormEvent): void => {
    event.preventDefault()
    const condition = { subject: subjectOf(subject), comparison, values: values.length === 0 ? [''] : values }
    onChange({
      where: subject === '' ? where : addCondition(where, condition),
      context: contextTyped.trim() || undefined,
    })
    onClose()
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="xs" w={260}>
        <Autocomplete
          label="Attribute or field"
          description="A name such as site, net.ssid, or lastReported"
          data={[
            { group: 'Attributes', items: [...new Set([...attributes, ...reserved.keys()])] },
            { group: 'Fields', items: fields },
          ]}
          value={name}
          onChange={setName}
          limit={50}
          data-autofocus
          comboboxProps={{ withinPortal: false }}
        />
        <Select
          label="Comparison"
          data={choices}
          value={comparison}
          onChange={(value) => value !== null && isComparison(value) && setComparison(value)}
          allowDeselect={false}
          comboboxProps={{ withinPortal: false }}
        />
        {isPresence(comparison) ? null : takesList(comparison) ? (
          <TagsInput
            label="Value"
            description={comparison.endsWith('=') ? 'The whole value, case-sensitive' : 'A part of the value'}
            data={known}
            value={values}
            onChange={setValues}
            acceptValueOnBlur
            comboboxProps={{ withinPortal: false }}
          />
        ) : (
          <TextInput
            label="Value"
            description="A number, a time, a relative time such as -7d, or a string"
            value={values[0] ?? ''}
            onChange={(event) => setValues([event.currentTarget.value])}
          />
        )}
        <TextInput
          label="Context"
          description="The filter reads the values in this context. Leave empty to use the view’s context or, without one, base values."
          value={contextTyped}
          onChange={(event) => setContextTyped(event.currentTarget.value)}
        />
        <Button type="submit">Apply</Button>
      </Stack>
    </form>
  )
}
