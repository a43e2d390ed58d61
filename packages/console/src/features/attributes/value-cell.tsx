import { Box, Button, Group, Text } from '@mantine/core'
import { IconHistory, IconPencil, IconTrash } from '@tabler/icons-react'
import { CopyButton } from '../../components/copy-button.tsx'
import { LongText } from '../../components/long-text.tsx'
import { StaleNote } from '../freshness/stale-note.tsx'
import type { StaleValue } from '../freshness/use-stale-values.ts'
import { useViewer } from '../user-settings/viewer.ts'
import { IconButton } from './icon-button.tsx'
import { ValueEditor } from './value-editor.tsx'

interface ValueCellProps {
  what: string
  value: string | undefined
  initial?: string
  /** Text to show if the attribute has no value. */
  none: string
  create: string
  createLabel: string
  /** Whether to dim the value. The table dims base values that are overridden. */
  isFaint?: boolean
  stale?: StaleValue | undefined
  isEditing: boolean
  onEdit(isEditing: boolean): void
  onSave(value: string): Promise<void>
  onRemove(): void
  /** Opens the attribute's history. Undefined if another cell of the row contains the button for the history. */
  onHistory?: () => void
}

export function ValueCell(props: ValueCellProps) {
  const { what, value, initial, none, create, createLabel, isFaint = false, stale } = props
  const { isEditing, onEdit, onSave, onRemove, onHistory } = props
  const { may, canReadEvents } = useViewer()
  const canEdit = may('ATTRIBUTE_WRITE')
  const history =
    onHistory === undefined || !canReadEvents ? null : (
      <IconButton label={`History of ${what}`} Icon={IconHistory} onClick={onHistory} />
    )
  if (isEditing)
    return (
      <ValueEditor
        label={`Value of ${what}`}
        value={value}
        initial={initial ?? ''}
        onSave={onSave}
        onClose={() => onEdit(false)}
      />
    )
  if (value === undefined)
    return (
      <Group gap="xs" wrap="nowrap">
        <Text size="sm" c="dimmed">
          {none}
        </Text>
        {canEdit ? (
          <Button size="compact-xs" variant="default" onClick={() => onEdit(true)} aria-label={createLabel}>
            {create}
          </Button>
        ) : null}
        {history}
      </Group>
    )
  return (
    <Group gap={4} wrap="nowrap" align="flex-start" justify="space-between">
      <Box miw={0} c={isFaint || stale !== undefined ? 'dimmed' : undefined} fz="sm">
        <LongText value={value} />
        {stale === undefined ? null : <StaleNote stale={stale} />}
      </Box>
      <Group gap={0} wrap="nowrap">
        {history}
        <CopyButton value={value} what={what} />
        {canEdit ? (
          <>
            <IconButton label={`Edit ${what}`} Icon={IconPencil} onClick={() => onEdit(true)} />
            <IconButton label={`Remove ${what}`} Icon={IconTrash} onClick={onRemove} />
          </>
        ) : null}
      </Group>
    </Group>
  )
}
