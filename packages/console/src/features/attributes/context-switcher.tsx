import { Button, Group, Popover, Select, TextInput } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { type FormEvent, useState } from 'react'
import { useViewer } from '../user-settings/viewer.ts'
import type { Context } from './use-attributes.ts'

interface ContextSwitcherProps {
  contexts: readonly string[]
  value: Context
  onChange(context: Context): void
}

/** The option for base values. The options for contexts have a prefix, because a context can also be named `base`. */
const BASE = 'base'
const entryOf = (context: string): string => `in ${context}`

export function ContextSwitcher({ contexts, value, onChange }: ContextSwitcherProps) {
  const { may } = useViewer()
  const all = value === undefined || contexts.includes(value) ? contexts : [...contexts, value]
  return (
    <Group gap="xs" align="flex-end" wrap="nowrap">
      <Select
        label="Context"
        data={[
          { value: BASE, label: 'Base values' },
          ...all.map((context) => ({ value: entryOf(context), label: context })),
        ]}
        value={value === undefined ? BASE : entryOf(value)}
        onChange={(entry) => onChange(entry === null || entry === BASE ? undefined : entry.slice(entryOf('').length))}
        allowDeselect={false}
        searchable={all.length > 7}
        w={190}
      />
      {may('ATTRIBUTE_WRITE') ? <NewContext onChoose={onChange} /> : null}
    </Group>
  )
}

function NewContext({ onChoose }: { onChoose(context: string): void }) {
  const [opened, setOpened] = useState(false)
  const [text, setText] = useState('')
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (text === '') return
    onChoose(text)
    setText('')
    setOpened(false)
  }
  return (
    <Popover opened={opened} onChange={setOpened} trapFocus withArrow width={300}>
      <Popover.Target>
        <Button variant="default" leftSection={<IconPlus size={14} />} onClick={() => setOpened(!opened)}>
          New context
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label="New context">
        <form onSubmit={submit}>
          <TextInput
            label="Name of the context"
            description="Up to 64 characters. A context exists only while it has overrides."
            value={text}
            onChange={({ currentTarget }) => setText(currentTarget.value)}
            data-autofocus
          />
          <Button type="submit" size="xs" mt="xs" disabled={text === ''}>
            Show this context
          </Button>
        </form>
      </Popover.Dropdown>
    </Popover>
  )
}
