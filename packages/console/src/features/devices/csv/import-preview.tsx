import { Alert, Button, Group, List, Stack, Tabs, Text } from '@mantine/core'
import { suspectColumns } from '@muster/fleet-csv/csv/columns'
import { BadRows } from './bad-rows.tsx'
import { ChangedRows, NewRows } from './planned-rows.tsx'
import type { PreparedImport } from './use-import.ts'

interface ImportPreviewProps {
  prepared: PreparedImport
  onBack(): void
  onImport(): void
  onClose(): void
}

/** What the import would do, before anything is written. */
export function ImportPreview({ prepared, onBack, onImport, onClose }: ImportPreviewProps) {
  const { name, file, plan } = prepared
  const { creations, updates, unchanged, problems, types } = plan
  const toWrite = creations.length + updates.length
  const tabs = [
    { value: 'bad', label: 'Bad', count: problems.length, rows: <BadRows problems={problems} fileName={name} /> },
    {
      value: 'changed',
      label: 'Changed',
      count: updates.length,
      rows: <ChangedRows updates={updates} types={types} />,
    },
    { value: 'new', label: 'New', count: creations.length, rows: <NewRows creations={creations} /> },
  ].filter(({ count }) => count > 0)
  return (
    <Stack gap="sm">
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        <b>{name}</b> has {counted(file.rows.length + file.problems.length, 'row')}. Nothing is written yet.
      </Text>
      <List size="sm" aria-label="What the import would do">
        <List.Item>{counted(creations.length, 'new device')}</List.Item>
        <List.Item>{counted(updates.length, 'changed device')}</List.Item>
        <List.Item>{unchanged.length.toLocaleString()} unchanged</List.Item>
        <List.Item>
          {counted(problems.length, 'bad row')}
          {problems.length > 0 && toWrite > 0 ? ', left out; the others go in' : ''}
        </List.Item>
      </List>
      <SuspectColumns columns={file.columns} />
      {tabs[0] === undefined ? null : (
        <Tabs defaultValue={tabs[0].value} keepMounted={false}>
          <Tabs.List aria-label="Rows">
            {tabs.map(({ value, label, count }) => (
              <Tabs.Tab key={value} value={value}>
                {label} ({count.toLocaleString()})
              </Tabs.Tab>
            ))}
          </Tabs.List>
          {tabs.map(({ value, rows }) => (
            <Tabs.Panel key={value} value={value} pt="xs">
              {rows}
            </Tabs.Panel>
          ))}
        </Tabs>
      )}
      <Group justify="flex-end">
        <Button variant="default" onClick={onBack}>
          Choose another file
        </Button>
        {toWrite === 0 ? (
          <Button onClick={onClose}>Nothing to import</Button>
        ) : (
          <Button onClick={onImport}>Import {counted(toWrite, 'row')}</Button>
        )}
      </Group>
    </Stack>
  )
}

const counted = (count: number, noun: string): string => `${count.toLocaleString()} ${noun}${count === 1 ? '' : 's'}`

/** Columns that were most likely meant as others. */
function SuspectColumns({ columns }: Pick<PreparedImport['file'], 'columns'>) {
  const suspects = suspectColumns(columns)
  if (suspects.length === 0) return null
  return (
    <Alert color="yellow" title="Is this meant?">
      {suspects.map(({ found, meant }) => (
        <Text size="sm" key={found}>
          Column “{found}” is taken as an attribute of that name. The device's own column is called “{meant}”.
        </Text>
      ))}
    </Alert>
  )
}
