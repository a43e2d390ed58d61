import { Button, Code, Group, Modal, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { ErrorNotice } from '../../../components/error-notice.tsx'
import { useChange, useCreation } from '../../../graphql/use-change.ts'
import { joinFilters } from '../../filters/conditions.ts'
import type { DeviceView } from './use-views.ts'
import { CreateDeviceViewDocument, UpdateDeviceViewDocument } from './views.generated.ts'

/** The parts of the list that the view stores. */
export interface ViewContent {
  /** Filters of the view and of the list. A device must match all of them. */
  filters: readonly (string | undefined)[]
  context: string | undefined
  sortBy: readonly string[]
  columns: readonly { name: string; label?: string | null; width?: number | null }[]
}

interface SaveViewProps {
  /** View to change. Undefined for a new view. */
  view: DeviceView | undefined
  content: ViewContent
  onClose(): void
  onSaved(id: string): void
}

/** Saves the current list as a new view or as a change to a view. */
export function SaveView({ view, content, onClose, onSaved }: SaveViewProps) {
  const create = useCreation(CreateDeviceViewDocument, ['View'])
  const update = useChange(UpdateDeviceViewDocument, ['View'])
  const where = joinFilters(...content.filters)
  const [isSaving, setSaving] = useState(false)
  const [error, setError] = useState<unknown>()
  const form = useForm({
    initialValues: { name: view?.name ?? '', description: view?.description ?? '' },
    validate: { name: (name) => (name.trim() === '' ? 'Enter a name' : null) },
  })
  const save = form.onSubmit(async ({ name, description }) => {
    setSaving(true)
    setError(undefined)
    const variables = {
      name: name.trim(),
      description: description.trim() || null,
      where: where ?? null,
      context: content.context ?? null,
      sortBy: [...content.sortBy],
      columns: content.columns.map((column) => ({ ...column })),
    }
    try {
      const id =
        view === undefined
          ? (await create(variables)).createView.id
          : (await update({ ...variables, id: view.id, version: view.version })).updateView.id
      onClose()
      onSaved(id)
    } catch (failure) {
      setError(failure)
      setSaving(false)
    }
  })
  return (
    <Modal opened onClose={onClose} title={view === undefined ? 'Save as view' : `Edit view ${view.name}`}>
      <form onSubmit={save}>
        <Stack gap="sm">
          <TextInput label="Name" data-autofocus maxLength={100} {...form.getInputProps('name')} />
          <Textarea label="Description" autosize maxLength={1000} {...form.getInputProps('description')} />
          <Text size="sm" component="div">
            {where === undefined ? (
              'The view lists all devices.'
            ) : (
              <>
                The view lists the devices that match <Code>{where}</Code>
              </>
            )}
          </Text>
          <Text size="sm" c="dimmed">
            The view also stores the sort order and the columns of the list.
          </Text>
          {error === undefined ? null : <ErrorNotice error={error} title="The view was not saved" />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={isSaving}>
              Save view
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
