import { Button, Group, Paper, SimpleGrid, Stack, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { notifyError } from '../../components/error-notice.tsx'
import { Section } from '../../components/section.tsx'
import { defaultLabel, type LabeledField, labeledFields, labelSetting, useLabels } from '../user-settings/labels.ts'
import { useViewer } from '../user-settings/viewer.ts'

const categories = labeledFields.filter((field) => field.startsWith('category'))
const statuses = labeledFields.filter((field) => field.startsWith('status'))

export function LabelsPage() {
  return (
    <Section
      title="Labels"
      about="You can choose labels for the ten reserved attributes of devices: Category A to E and Status A to E. Only you see these labels. The names in the API do not change."
    >
      <Paper withBorder p="md" maw={720}>
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md" verticalSpacing="xs">
          {[categories, statuses].map((fields) => (
            <Stack key={fields[0]} gap="xs">
              {fields.map((field) => (
                <LabelField key={field} field={field} />
              ))}
            </Stack>
          ))}
        </SimpleGrid>
      </Paper>
    </Section>
  )
}

function LabelField({ field }: { field: LabeledField }) {
  const { setSetting } = useViewer()
  const label = useLabels()[field]
  const [text, setText] = useState<string>()
  const isChanged = text !== undefined && text.trim() !== label
  const shown = text ?? (label === defaultLabel(field) ? '' : label)

  const save = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    // Ignore Enter if the user did not change the label.
    if (!isChanged) return
    const given = text.trim()
    try {
      await setSetting(labelSetting(field), given === '' || given === defaultLabel(field) ? null : given)
      setText(undefined)
    } catch (error) {
      notifyError('The label was not changed', error)
    }
  }
  return (
    <form onSubmit={save}>
      <Group align="flex-end" gap="xs" wrap="nowrap">
        <TextInput
          flex={1}
          label={defaultLabel(field)}
          placeholder={defaultLabel(field)}
          value={shown}
          maxLength={60}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
        />
        {isChanged ? <Button type="submit">Save</Button> : null}
      </Group>
    </form>
  )
}
