import { Anchor, Checkbox, Fieldset, Group, SimpleGrid, Stack, Text } from '@mantine/core'
import { eventTypeGroups, eventTypes } from '../../components/events/event-types.ts'

interface EventTypePickerProps {
  value?: string[]
  onChange?: (value: string[]) => void
  error?: React.ReactNode
  'data-path'?: string
}

export function EventTypePicker({ value = [], onChange = () => {}, ...input }: EventTypePickerProps) {
  const all = eventTypes.map(([type]) => type)
  return (
    <Checkbox.Group
      label="Events"
      description="The types of events to send to the receiver"
      value={value}
      onChange={onChange}
      {...input}
    >
      <Group gap="md" mt={4}>
        <Anchor component="button" type="button" size="sm" onClick={() => onChange(all)}>
          Select all
        </Anchor>
        <Anchor component="button" type="button" size="sm" onClick={() => onChange([])}>
          Select none
        </Anchor>
        <Text size="sm" c="dimmed">
          {value.length} of {all.length} selected
        </Text>
      </Group>
      <Stack gap="sm" mt="xs">
        {eventTypeGroups.map(({ group, types }) => (
          <Fieldset key={group} legend={group} p="sm">
            <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="xs">
              {types.map(([type, label, about]) => (
                <Checkbox key={type} value={type} label={label} description={about} />
              ))}
            </SimpleGrid>
          </Fieldset>
        ))}
      </Stack>
    </Checkbox.Group>
  )
}
