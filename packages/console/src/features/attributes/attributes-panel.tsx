import { Button, Group, Stack, TextInput, Title } from '@mantine/core'
import { IconPlus, IconSearch, IconTags } from '@tabler/icons-react'
import { useState } from 'react'
import { ConfirmDialog } from '../../components/dialogs/confirm-button.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { Loading } from '../../components/loading.tsx'
import { type StaleValue, useStaleValues } from '../freshness/use-stale-values.ts'
import { useViewer } from '../user-settings/viewer.ts'
import { AddAttribute } from './add-attribute.tsx'
import { type AttributeRow, attributeRows, isReserved } from './attribute-rows.ts'
import { AttributeTable, type Cell, isSameCell } from './attribute-table.tsx'
import { ContextSwitcher } from './context-switcher.tsx'
import { AttributeHistory } from './history/attribute-history.tsx'
import { ReservedForm } from './reserved-form.tsx'
import { type Context, type UseAttributes, useAttributes } from './use-attributes.ts'

interface AttributesPanelProps {
  /** ID of a service or device. */
  targetId: string
  /** Only devices have the Category and Status attributes. */
  isDevice: boolean
  context: Context
  onContext(context: Context): void
}

export function AttributesPanel({ targetId, isDevice, context, onContext }: AttributesPanelProps) {
  const source = useAttributes(targetId, context)
  const stale = useStaleValues(targetId, context)
  const { attributes, error, retry } = source
  return (
    <Stack gap="md">
      <ContextSwitcher contexts={attributes?.contexts ?? []} value={context} onChange={onContext} />
      <ErrorNotice error={error} title="The attributes could not be loaded" onRetry={retry} />
      {attributes === undefined ? (
        error === undefined && <Loading what="attributes" />
      ) : (
        <>
          {isDevice ? (
            <ReservedForm key={context ?? ''} {...{ attributes, context, stale }} onSave={source.setMany} />
          ) : null}
          <CustomAttributes key={targetId} {...{ targetId, source, attributes, context, stale }} />
        </>
      )}
    </Stack>
  )
}

interface CustomAttributesProps {
  targetId: string
  source: UseAttributes
  attributes: NonNullable<UseAttributes['attributes']>
  context: Context
  stale: ReadonlyMap<string, StaleValue>
}

/** The filter field appears if there are at least this many attributes, and remains visible while it contains text. */
const MANY = 10

function CustomAttributes({ targetId, source, attributes, context, stale }: CustomAttributesProps) {
  const [editing, setEditing] = useState<readonly Cell[]>([])
  const [removing, setRemoving] = useState<Cell>()
  const [shownHistory, setShownHistory] = useState<string>()
  const [isAdding, setAdding] = useState(false)
  const [part, setPart] = useState('')
  const edited = editing.filter((cell) => cell.context === undefined || cell.context === context)
  const names = edited.map(({ name }) => name)
  const rows = attributeRows(attributes.base, attributes.overrides, names).filter((row) => !isReserved(row))
  const shown = rows.filter(({ name }) => name.toLowerCase().includes(part.toLowerCase()) || names.includes(name))
  const edit = (cell: Cell, isEditing: boolean): void =>
    setEditing((cells) => [...cells.filter((each) => !isSameCell(each, cell)), ...(isEditing ? [cell] : [])])
  const currentValueOf = (name: string, target: Context): string | undefined => {
    const row = rows.find((each) => each.name === name)
    return target === undefined ? row?.base : row?.override
  }
  const { may } = useViewer()
  const add = may('ATTRIBUTE_WRITE') ? (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setAdding(true)}>
      Add an attribute
    </Button>
  ) : undefined
  return (
    <>
      {rows.length === 0 ? (
        <EmptyState icon={<IconTags />} title="No attributes yet" action={add}>
          Store your own names and values, such as site = oslo, and filter and sort lists by them. A context can
          override the base values.
        </EmptyState>
      ) : (
        <>
          <Group justify="space-between" gap="xs">
            <Title order={2}>Custom attributes</Title>
            <Group gap="xs">
              {rows.length < MANY && part === '' ? null : (
                <TextInput
                  aria-label="Filter attributes by name"
                  placeholder="Filter by name"
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
            stale={stale}
            editing={editing}
            onEdit={edit}
            onSave={(cell, value) => source.setOne(cell.name, value, cell.context)}
            onRemove={setRemoving}
            onHistory={setShownHistory}
          />
        </>
      )}
      <AttributeHistory targetId={targetId} name={shownHistory} onClose={() => setShownHistory(undefined)} />
      <AddAttribute
        opened={isAdding}
        onClose={() => setAdding(false)}
        context={context}
        currentValueOf={currentValueOf}
        onSave={source.setOne}
      />
      <ConfirmDialog
        opened={removing !== undefined}
        onClose={() => setRemoving(undefined)}
        title={removing === undefined ? '' : removalTitle(removing, rows)}
        confirm="Remove"
        danger
        onConfirm={async () => {
          if (removing !== undefined) await source.setOne(removing.name, null, removing.context)
        }}
      >
        {removing === undefined ? null : <RemovalText {...removing} rows={rows} />}
      </ConfirmDialog>
    </>
  )
}

const isGroupName = (name: string, rows: readonly AttributeRow[]): boolean => !rows.some((row) => row.name === name)

function removalTitle({ name, context }: Cell, rows: readonly AttributeRow[]): string {
  const isGroup = isGroupName(name, rows)
  if (context === undefined) return isGroup ? 'Remove a group of attributes' : 'Remove an attribute'
  return isGroup ? 'Remove a group of overrides' : 'Remove an override'
}

function RemovalText({ name, context, rows }: Cell & { rows: readonly AttributeRow[] }) {
  const isGroup = isGroupName(name, rows)
  const what = isGroup ? `All values in the group “${name}”` : `“${name}”`
  if (context === undefined) return <>{what} will be removed from the base values. Overrides in contexts remain.</>
  return (
    <>
      {what} will be removed from the context “{context}”. The base {isGroup ? 'values apply' : 'value applies'} there
      again, if there {isGroup ? 'are any' : 'is one'}.
    </>
  )
}
