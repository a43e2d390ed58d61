import { Checkbox, Code, Modal, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { FormButtons } from '../../components/dialogs/form-buttons.tsx'
import { useAttempt } from '../../components/dialogs/use-attempt.ts'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { useChange, useCreation } from '../../graphql/use-change.ts'
import { joinFilters } from '../filters/conditions.ts'
import type { SavedView } from './use-views.ts'
import { type FilterKind, viewLists } from './view-lists.ts'
import { CreateSavedViewDocument, UpdateSavedViewDocument } from './views.generated.ts'

export interface ViewContent {
  /** The view lists objects that match all of these filters. */
  filters: readonly (string | undefined)[]
  context: string | undefined
  sortBy: readonly string[]
  /** Omitted for a list with fixed columns, which a view does not change. */
  columns?: readonly { name: string; label?: string | null; width?: number | null }[]
  note: string
}

interface SaveViewProps {
  kind: FilterKind
  /** Undefined for a new view. */
  view: SavedView | undefined
  content: ViewContent
  onClose(): void
  onSaved(id: string): void
}

export function SaveView({ kind, view, content, onClose, onSaved }: SaveViewProps) {
  const create = useCreation(CreateSavedViewDocument, ['View'])
  const update = useChange(UpdateSavedViewDocument, ['View'])
  const where = joinFilters(...content.filters)
  const form = useForm({
    initialValues: {
      name: view?.name ?? '',
      description: view?.description ?? '',
      isShared: view?.isShared ?? true,
    },
    validate: { name: (name) => (name.trim() === '' ? 'Enter a name' : null) },
  })
  const { attempt, error } = useAttempt(async () => {
    const { name, description, isShared } = form.values
    const variables = {
      name: name.trim(),
      description: description.trim() || null,
      where: where ?? null,
      context: content.context ?? null,
      sortBy: [...content.sortBy],
      ...(content.columns && { columns: content.columns.map((column) => ({ ...column })) }),
      isShared,
    }
    const id =
      view === undefined
        ? (await create({ ...variables, kind })).createView.id
        : (await update({ ...variables, id: view.id, version: view.version })).updateView.id
    onClose()
    onSaved(id)
  })
  return (
    <Modal opened onClose={onClose} title={view === undefined ? 'Save as view' : `Edit view ${view.name}`}>
      <form onSubmit={form.onSubmit(attempt)}>
        <Stack gap="sm">
          <TextInput label="Name" required data-autofocus maxLength={100} {...form.getInputProps('name')} />
          <Textarea label="Description" autosize maxLength={1000} {...form.getInputProps('description')} />
          <Checkbox
            label="Show to members and access keys that are restricted to some devices or attributes"
            {...form.getInputProps('isShared', { type: 'checkbox' })}
          />
          <Text size="sm" component="div">
            {where === undefined ? (
              `The view lists all ${viewLists[kind].what}.`
            ) : (
              <>
                The view lists the {viewLists[kind].what} that match <Code>{where}</Code>
              </>
            )}
          </Text>
          <Text size="sm" c="dimmed">
            {content.note}
          </Text>
          <ErrorNotice error={error} title="The view was not saved" />
          <FormButtons onCancel={onClose} loading={form.submitting}>
            Save view
          </FormButtons>
        </Stack>
      </form>
    </Modal>
  )
}
