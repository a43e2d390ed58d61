import { Autocomplete, Button, Popover, Stack, TextInput } from '@mantine/core'
import { IconFilter } from '@tabler/icons-react'
import { type FormEvent, useState } from 'react'
import { labeledFields, useLabels } from '../../user-settings/labels.ts'

interface AttributeFilterProps {
  names: readonly string[]
  context: string | undefined
  onAdd(name: string, value: string, context: string): void
  onContext(context: string): void
}

/** Filters devices by the value of an attribute. Reserved attributes are offered under the user's labels. */
export function AttributeFilter({ names, context, onAdd, onContext }: AttributeFilterProps) {
  const [isOpen, setOpen] = useState(false)
  const [name, setName] = useState('')
  const [value, setValue] = useState('')
  const [contextTyped, setContextTyped] = useState(context ?? '')
  const labels = useLabels()
  const reserved = new Map(labeledFields.map((field) => [labels[field], `$svc.${field}`]))

  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (name.trim() === '') onContext(contextTyped.trim())
    else onAdd(reserved.get(name.trim()) ?? name.trim(), value, contextTyped.trim())
    setName('')
    setValue('')
    setOpen(false)
  }
  return (
    <Popover opened={isOpen} onChange={setOpen} position="bottom-start" withArrow trapFocus shadow="md">
      <Popover.Target>
        <Button
          variant="default"
          leftSection={<IconFilter size={14} aria-hidden="true" />}
          onClick={() => {
            setContextTyped(context ?? '')
            setOpen(!isOpen)
          }}
        >
          Attribute
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <form onSubmit={submit}>
          <Stack gap="xs" w={260}>
            <Autocomplete
              label="Attribute"
              description="A name such as site or net.ssid"
              data={[...new Set([...reserved.keys(), ...names])]}
              value={name}
              onChange={setName}
              limit={50}
              data-autofocus
              comboboxProps={{ withinPortal: false }}
            />
            <TextInput
              label="Value"
              description="The whole value, case-sensitive"
              value={value}
              onChange={(event) => setValue(event.currentTarget.value)}
            />
            <TextInput
              label="Context"
              description="Uses the values in this context. Leave empty to use base values."
              value={contextTyped}
              onChange={(event) => setContextTyped(event.currentTarget.value)}
            />
            <Button type="submit">Apply</Button>
          </Stack>
        </form>
      </Popover.Dropdown>
    </Popover>
  )
}
