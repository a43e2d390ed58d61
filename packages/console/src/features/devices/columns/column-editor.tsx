import { ActionIcon, Autocomplete, Button, Checkbox, Group, ScrollArea, Stack, Text } from '@mantine/core'
import { IconChevronDown, IconChevronUp } from '@tabler/icons-react'
import { useState } from 'react'
import { useLabels } from '../../user-settings/labels.ts'
import { attributeColumn, columnOf, fieldColumns, NAME_COLUMN } from './columns.ts'

export interface ColumnListProps {
  /** IDs of the shown columns, in order. */
  shown: readonly string[]
  attributes: readonly string[]
  onChange(columns: string[]): void
  /** Saves the shown columns for the user. Undefined if the user has not changed the columns. */
  onSave?: () => void
  /** Discards the user's changes to columns and widths. Undefined if the user has changed neither. */
  onReset?: () => void
}

/** This component is in a separate module that loads on demand, because most users do not open it. */
export function ColumnList({ shown, attributes, onChange, onSave, onReset }: ColumnListProps) {
  const labels = useLabels()
  const [typed, setTyped] = useState('')
  const movable = shown.filter((id) => id !== NAME_COLUMN)
  const hidden = fieldColumns.filter((id) => id !== NAME_COLUMN && !shown.includes(id))
  const move = (index: number, by: number): void => {
    const next = [...movable]
    const [moved] = next.splice(index, 1)
    next.splice(index + by, 0, moved as string)
    onChange(next)
  }
  const add = (name: string): void => {
    const id = attributeColumn(name.trim())
    if (name.trim() !== '' && !shown.includes(id)) onChange([...movable, id])
    // Clear the field later, because Mantine writes the selected option into the field after this callback.
    setTimeout(() => setTyped(''))
  }
  return (
    <Stack gap="xs" w={280}>
      <ScrollArea.Autosize mah={340} type="auto" offsetScrollbars>
        <Stack gap={2} role="group" aria-label="Columns shown">
          {movable.map((id, index) => {
            const label = columnOf(id, labels)?.label ?? id
            return (
              <Group key={id} gap={2} wrap="nowrap">
                <Checkbox
                  size="xs"
                  label={label}
                  checked
                  onChange={() => onChange(movable.filter((each) => each !== id))}
                  style={{ flex: 1, minWidth: 0 }}
                />
                <ActionIcon
                  size="sm"
                  aria-label={`Move ${label} to the left`}
                  disabled={index === 0}
                  onClick={() => move(index, -1)}
                >
                  <IconChevronUp size={14} />
                </ActionIcon>
                <ActionIcon
                  size="sm"
                  aria-label={`Move ${label} to the right`}
                  disabled={index === movable.length - 1}
                  onClick={() => move(index, 1)}
                >
                  <IconChevronDown size={14} />
                </ActionIcon>
              </Group>
            )
          })}
          {hidden.length === 0 ? null : (
            <Text size="xs" c="dimmed" mt={6}>
              Hidden
            </Text>
          )}
          {hidden.map((id) => (
            <Checkbox
              key={id}
              size="xs"
              my={3}
              label={columnOf(id, labels)?.label ?? id}
              checked={false}
              onChange={() => onChange([...movable, id])}
            />
          ))}
        </Stack>
      </ScrollArea.Autosize>
      <Autocomplete
        label="Add an attribute column"
        placeholder="A name such as net.ssid"
        data={attributes.filter((name) => !shown.includes(attributeColumn(name)))}
        value={typed}
        onChange={setTyped}
        onOptionSubmit={add}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && typed.trim() !== '') add(typed)
        }}
        limit={50}
        comboboxProps={{ withinPortal: false }}
      />
      <Group gap="xs">
        {onSave === undefined ? null : (
          <Button size="xs" variant="light" onClick={onSave}>
            Save as my columns
          </Button>
        )}
        {onReset === undefined ? null : (
          <Button size="xs" variant="default" onClick={onReset}>
            Reset
          </Button>
        )}
      </Group>
    </Stack>
  )
}
