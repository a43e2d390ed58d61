import { Badge, Group, Paper, Table, Text } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import type { StaleValue } from '../freshness/use-stale-values.ts'
import { useViewer } from '../user-settings/viewer.ts'
import { type AttributeRow, groupRows, subNameOf } from './attribute-rows.ts'
import classes from './attribute-table.module.css'
import { IconButton } from './icon-button.tsx'
import type { Context } from './use-attributes.ts'
import { ValueCell } from './value-cell.tsx'

export interface Cell {
  name: string
  context: Context
}

export const isSameCell = (one: Cell, other: Cell): boolean => one.name === other.name && one.context === other.context

interface AttributeTableProps {
  rows: readonly AttributeRow[]
  context: Context
  stale: ReadonlyMap<string, StaleValue>
  editing: readonly Cell[]
  onEdit(cell: Cell, isEditing: boolean): void
  onSave(cell: Cell, value: string): Promise<void>
  onRemove(cell: Cell): void
  onHistory(name: string): void
}

export function AttributeTable(props: AttributeTableProps) {
  const { rows, context, onRemove } = props
  const isInContext = context !== undefined
  return (
    <Paper withBorder>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling content must be reachable by keyboard */}
      <section className={classes.scroller} tabIndex={0} aria-label="Attributes">
        <Table
          className={classes.table}
          aria-label="Attributes"
          layout="fixed"
          data-in-context={isInContext || undefined}
        >
          <Table.Thead>
            <Table.Tr>
              <Table.Th w={isInContext ? '24%' : '32%'}>Name</Table.Th>
              <Table.Th>{isInContext ? 'Base value' : 'Value'}</Table.Th>
              {isInContext ? <Table.Th style={{ overflowWrap: 'anywhere' }}>In “{context}”</Table.Th> : null}
              {isInContext ? <Table.Th w={112}>Effective</Table.Th> : null}
            </Table.Tr>
          </Table.Thead>
          {groupRows(rows).map(({ group, rows: members }) => (
            <Table.Tbody key={group ?? ''}>
              {group === undefined ? null : (
                <GroupHead
                  group={group}
                  columns={isInContext ? 4 : 2}
                  count={members.length}
                  context={context}
                  onRemove={
                    context === undefined || members.some(({ override }) => override !== undefined)
                      ? () => onRemove({ name: group, context })
                      : undefined
                  }
                />
              )}
              {members.map((row) => (
                <Row key={row.name} row={row} isMember={group !== undefined} {...props} />
              ))}
            </Table.Tbody>
          ))}
        </Table>
      </section>
    </Paper>
  )
}

interface RowProps extends AttributeTableProps {
  row: AttributeRow
  isMember: boolean
}

function Row({ row, isMember, context, stale, editing, onEdit, onSave, onRemove, onHistory }: RowProps) {
  const handlers = (cell: Cell) => ({
    isEditing: editing.some((each) => isSameCell(each, cell)),
    onEdit: (isEditing: boolean) => onEdit(cell, isEditing),
    onSave: (value: string) => onSave(cell, value),
    onRemove: () => onRemove(cell),
    stale: staleIn(stale, cell),
  })
  return (
    <Table.Tr className={classes.row}>
      <Table.Th scope="row" className={classes.name} data-is-member={isMember || undefined}>
        {isMember ? subNameOf(row.name) : row.name}
      </Table.Th>
      <Table.Td className={classes.value} data-heading={context === undefined ? undefined : 'Base value'}>
        <ValueCell
          what={row.name}
          value={row.base}
          none="none"
          create="Set"
          createLabel={`Set the base value of ${row.name}`}
          isFaint={row.override !== undefined}
          onHistory={() => onHistory(row.name)}
          {...handlers({ name: row.name, context: undefined })}
        />
      </Table.Td>
      {context === undefined ? null : (
        <>
          <Table.Td className={classes.value} data-heading={`In “${context}”`}>
            <ValueCell
              what={`the override of ${row.name}`}
              value={row.override}
              initial={row.base ?? ''}
              none={row.base === undefined ? 'none' : 'same as base'}
              create="Override"
              createLabel={`Override ${row.name}`}
              {...handlers({ name: row.name, context })}
            />
          </Table.Td>
          <Table.Td className={classes.effective}>
            <EffectiveSource row={row} />
          </Table.Td>
        </>
      )}
    </Table.Tr>
  )
}

/** Returns a cell's stale value, if any. Ignores a base value that an override replaces in the selected context. */
function staleIn(stale: ReadonlyMap<string, StaleValue>, { name, context }: Cell): StaleValue | undefined {
  const found = stale.get(name)
  return found?.context === context ? found : undefined
}

interface GroupHeadProps {
  group: string
  columns: number
  count: number
  context: Context
  /** Undefined if a context is selected that overrides no value of the group. */
  onRemove: (() => void) | undefined
}

function GroupHead({ group, columns, count, context, onRemove }: GroupHeadProps) {
  const { may } = useViewer()
  const label = context === undefined ? `Remove the group ${group}` : `Remove the overrides of the group ${group}`
  return (
    <Table.Tr className={classes.groupHead} bg="var(--mantine-color-default-hover)">
      <Table.Th colSpan={columns} scope="colgroup" py={3}>
        <Group justify="space-between" wrap="nowrap" gap="xs">
          <Text span size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
            {group}{' '}
            <Text span size="xs" c="dimmed" fw={400}>
              {count === 1 ? '1 attribute' : `${count} attributes`}
            </Text>
          </Text>
          {onRemove === undefined || !may('ATTRIBUTE_WRITE') ? null : (
            <IconButton label={label} Icon={IconTrash} onClick={onRemove} />
          )}
        </Group>
      </Table.Th>
    </Table.Tr>
  )
}

function EffectiveSource({ row: { base, override } }: { row: AttributeRow }) {
  if (override !== undefined) return <Badge color="indigo">override</Badge>
  return base === undefined ? null : <Badge color="gray">base</Badge>
}
