import { Autocomplete, Button, Group, Select, SimpleGrid, Stack, Textarea, TextInput, Title } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useAttributeNames } from '../attributes/use-attribute-names.ts'
import { useDeviceOptions } from '../events/filters/use-device-options.ts'
import { useViewer } from '../user-settings/viewer.ts'
import { noQuestion, type Question } from './use-simulation.ts'

interface QuestionFormProps {
  isOfKey: boolean
  isLoading: boolean
  onAsk(question: Question): void
}

export function QuestionForm({ isOfKey, isLoading, onAsk }: QuestionFormProps) {
  const { may } = useViewer()
  const [question, setQuestion] = useState(noQuestion)
  const change = (patch: Partial<Question>): void => setQuestion({ ...question, ...patch })
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    const { document, attribute, address } = question
    onAsk({ ...question, document: document.trim(), attribute: attribute.trim(), address: address.trim() })
  }
  return (
    <form onSubmit={submit} aria-label="Check an action">
      <Stack gap="sm">
        <Title order={3} size="h5">
          Check an action
        </Title>
        {may('DEVICE_READ') ? (
          <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
            <DeviceSelect value={question.deviceId} onChange={(deviceId) => change({ deviceId })} />
            <AttributeInput value={question.attribute} onChange={(attribute) => change({ attribute })} />
          </SimpleGrid>
        ) : null}
        <Textarea
          label="GraphQL document"
          placeholder="{ login { devices { total } } }"
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
          autosize
          minRows={2}
          maxRows={12}
          spellCheck={false}
          value={question.document}
          onChange={({ currentTarget }) => change({ document: currentTarget.value })}
        />
        {isOfKey ? (
          <TextInput
            label="Address"
            description="The IP address that the requests come from. If this field is empty, the key’s networks are not checked."
            placeholder="192.0.2.1"
            value={question.address}
            onChange={({ currentTarget }) => change({ address: currentTarget.value })}
          />
        ) : null}
        <Group justify="flex-end">
          <Button type="submit" loading={isLoading}>
            Check
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

interface InputProps {
  value: string
  onChange(value: string): void
}

function DeviceSelect({ value, onChange }: InputProps) {
  const [typed, setTyped] = useState('')
  const options = useDeviceOptions(value === '' ? [] : [value], typed)
  return (
    <Select
      label="Device"
      placeholder="Any device"
      data={options}
      value={value === '' ? null : value}
      onChange={(id) => onChange(id ?? '')}
      searchable
      searchValue={typed}
      onSearchChange={setTyped}
      filter={(input) => input.options}
      nothingFoundMessage="No matching devices"
      clearable
    />
  )
}

function AttributeInput({ value, onChange }: InputProps) {
  const { names = [] } = useAttributeNames()
  return (
    <Autocomplete
      label="Attribute"
      placeholder="site"
      data={names.map(({ name }) => name)}
      limit={50}
      value={value}
      onChange={onChange}
    />
  )
}
