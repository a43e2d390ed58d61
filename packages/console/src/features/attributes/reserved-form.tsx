import { Button, Fieldset, Group, SimpleGrid, Text } from '@mantine/core'
import { useState } from 'react'
import { RouterAnchor } from '../../app/links.tsx'
import { useAttempt } from '../../components/dialogs/use-attempt.ts'
import { ErrorNotice } from '../../components/error-notice.tsx'
import type { StaleValue } from '../freshness/use-stale-values.ts'
import { type LabeledField, labeledFields, useLabels } from '../user-settings/labels.ts'
import { useViewer } from '../user-settings/viewer.ts'
import { attributeRows, RESERVED_GROUP } from './attribute-rows.ts'
import { ReservedField } from './reserved-field.tsx'
import type { Attributes, Context } from './use-attributes.ts'

interface ReservedFormProps {
  attributes: Attributes
  context: Context
  stale: ReadonlyMap<string, StaleValue>
  onSave(attributes: Record<string, unknown>, context: Context): Promise<void>
}

interface Draft {
  text: string
  known: string | undefined
}

type Drafts = Partial<Record<LabeledField, Draft>>

export function ReservedForm({ attributes, context, stale, onSave }: ReservedFormProps) {
  const labels = useLabels()
  const { may } = useViewer()
  const canEdit = may('ATTRIBUTE_WRITE')
  const [drafts, setDrafts] = useState<Drafts>({})
  const rows = new Map(attributeRows(attributes.base, attributes.overrides).map((row) => [row.name, row]))
  const rowOf = (field: LabeledField) => rows.get(`${RESERVED_GROUP}.${field}`)
  const currentValueOf = (field: LabeledField): string | undefined => {
    const row = rowOf(field)
    return context === undefined ? row?.base : row?.override
  }
  const changed = labeledFields.filter((field) => {
    const draft = drafts[field]
    return draft !== undefined && draft.text !== (currentValueOf(field) ?? '')
  })
  const edit = (field: LabeledField, text: string): void =>
    setDrafts((before) => ({ ...before, [field]: { known: currentValueOf(field), ...before[field], text } }))
  const discard = (field: LabeledField): void => setDrafts(({ [field]: _, ...rest }) => rest)

  const { submit, isRunning, error } = useAttempt(async () => {
    const values = changed.map((field) => [field, drafts[field]?.text || null])
    await onSave({ [RESERVED_GROUP]: Object.fromEntries(values) }, context)
    setDrafts({})
  })
  return (
    <form onSubmit={submit} aria-label="Category and Status">
      <Fieldset
        bg="var(--mantine-color-body)"
        mx={0}
        legend={context === undefined ? 'Category and Status' : `Category and Status in “${context}”`}
      >
        <SimpleGrid cols={{ base: 2, sm: 3, md: 5 }} spacing="sm" verticalSpacing="xs">
          {labeledFields.map((field) => (
            <ReservedField
              key={field}
              label={labels[field]}
              base={context === undefined ? undefined : rowOf(field)?.base}
              current={currentValueOf(field)}
              draft={drafts[field]}
              stale={stale.get(`${RESERVED_GROUP}.${field}`)}
              onEdit={(text) => edit(field, text)}
              onDiscard={() => discard(field)}
              isReadOnly={!canEdit}
            />
          ))}
        </SimpleGrid>
        <ErrorNotice error={error} title="Nothing was saved" />
        <Group mt="sm" gap="sm" justify="space-between">
          <Text size="xs" c="dimmed">
            {!canEdit
              ? 'Your role does not allow you to change attributes. '
              : context === undefined
                ? 'Clear a field to remove its value. '
                : 'Clear a field to use the base value. '}
            <RouterAnchor to="/account/labels" inherit underline="always">
              Rename the labels
            </RouterAnchor>
          </Text>
          {changed.length === 0 ? null : (
            <Group gap="xs">
              <Button size="xs" variant="default" onClick={() => setDrafts({})}>
                Undo
              </Button>
              <Button size="xs" type="submit" loading={isRunning}>
                Save {changed.length === 1 ? 'the change' : `${changed.length} changes`}
              </Button>
            </Group>
          )}
        </Group>
      </Fieldset>
    </form>
  )
}
