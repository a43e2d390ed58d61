import { Button, Group, Stack, TextInput, Title } from '@mantine/core'
import { IconPlus, IconSearch, IconTags } from '@tabler/icons-react'
import { useState } from 'react'
import { ConfirmDialog } from '../../components/confirm-button.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { Loading } from '../../components/loading.tsx'
import { AddAttribute } from './add-attribute.tsx'
import { type AttributeRow, attributeRows, isReserved } from './attribute-rows.ts'
import { AttributeTable, type Cell, sameCell } from './attribute-table.tsx'
import { ContextSwitcher } from './context-switcher.tsx'
import { ReservedForm } from './reserved-form.tsx'
import { type Place, type UseAttributes, useAttributes } from './use-attributes.ts'

interface AttributesPanelProps {
  /** A service's id, or a device's for its bulk service. */
  targetId: string
  /** Devices have Category and Status. */
  isDevice: boolean
  context: Place
  onContext(context: Place): void
}

/** What somebody has noted on a device or service: read, written and removed, in the base and in contexts. */
export function AttributesPanel({ targetId, isDevice, context, onContext }: AttributesPanelProps) {
  const source = useAttributes(targetId, context)
  const { attributes, error, retry } = source
  return (
    <Stack gap="md">
      <ContextSwitcher contexts={attributes?.contexts ?? []} value={context} onChange={onContext} />
      {error === undefined ? null : (
        <ErrorNotice error={error} title="The attributes could not be loaded" onRetry={retry} />
      )}
      {attributes === undefined ? (
        error === undefined && <Loading what="attributes" />
      ) : (
        <>
          {isDevice ? <ReservedForm key={context ?? ''} {...{ attributes, context }} onSave={source.setMany} /> : null}
          <CustomAttributes key={targetId} source={source} attributes={attributes} context={context} />
        </>
      )}
    </Stack>
  )
}

interface CustomAttributesProps {
  source: UseAttributes
  attributes: NonNullable<UseAttributes['attributes']>
  context: Place
}

/** From so many names on there is a field to look for one. */
const MANY = 10

function CustomAttributes({ source, attributes, context }: CustomAttributesProps) {
  const [editing, setEditing] = useState<readonly Cell[]>([])
  const [removing, setRemoving] = useState<Cell>()
  const [isAdding, setAdding] = useState(false)
  const [part, setPart] = useState('')
  const beingWritten = editing.filter(({ place }) => place === undefined || place === context)
  const names = beingWritten.map(({ name }) => name)
  const rows = attributeRows(attributes.base, attributes.overrides, names).filter((row) => !isReserved(row))
  const shown = rows.filter(({ name }) => name.toLowerCase().includes(part.toLowerCase()) || names.includes(name))
  const edit = (cell: Cell, isEditing: boolean): void =>
    setEditing((cells) => [...cells.filter((each) => !sameCell(each, cell)), ...(isEditing ? [cell] : [])])
  const presentOf = (name: string, place: Place): string | undefined => {
    const row = rows.find((each) => each.name === name)
    return place === undefined ? row?.base : row?.override
  }
  const add = (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setAdding(true)}>
      Add an attribute
    </Button>
  )
  return (
    <>
      {rows.length === 0 ? (
        <EmptyState icon={<IconTags />} title="No attributes yet" action={add}>
          A name and a value of your own, such as site = oslo. Lists can be filtered and sorted by them. In a context, a
          value can differ from its base.
        </EmptyState>
      ) : (
        <>
          <Group justify="space-between" gap="xs">
            <Title order={2}>Custom attributes</Title>
            <Group gap="xs">
              {rows.length < MANY && part === '' ? null : (
                <TextInput
                  aria-label="Part of an attribute's name"
                  placeholder="Part of a name"
                  leftSection={<IconSearch size={14} />}
                  value={part}
                  onChange={({ currentTarget }) => setPart(currentTarget.value)}
                />
              )}
              {add}
            </Group>
          </Group>
          <AttributeTable
            rows={shown}
            context={context}
            editing={editing}
            onEdit={edit}
            onSave={({ name, place }, value) => source.setOne(name, value, place)}
            onRemove={setRemoving}
          />
        </>
      )}
      <AddAttribute
        opened={isAdding}
        onClose={() => setAdding(false)}
        context={context}
        presentOf={presentOf}
        onSave={source.setOne}
      />
      <ConfirmDialog
        opened={removing !== undefined}
        onClose={() => setRemoving(undefined)}
        title={removing?.place === undefined ? 'Remove an attribute' : 'Remove an override'}
        confirm="Remove"
        danger
        onConfirm={async () => {
          if (removing !== undefined) await source.setOne(removing.name, null, removing.place)
        }}
      >
        {removing === undefined ? null : <RemovalText {...removing} rows={rows} />}
      </ConfirmDialog>
    </>
  )
}

/** What goes, and what is in force afterwards. */
function RemovalText({ name, place, rows }: Cell & { rows: readonly AttributeRow[] }) {
  const isGroup = !rows.some((row) => row.name === name)
  const what = isGroup ? `All values in the group “${name}”` : `“${name}”`
  if (place === undefined) return <>{what} will be removed from the base. Overrides in contexts stay.</>
  return (
    <>
      {what} will be removed from the context “{place}”. There the base {isGroup ? 'values show' : 'value shows'} again,
      where there is one.
    </>
  )
}
