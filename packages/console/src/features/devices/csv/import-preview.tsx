import { Alert, Button, Group, List, Stack, Tabs, Text } from '@mantine/core'
import { ignoredColumns, suspectColumns } from '@muster/fleet-csv/csv/columns'
import { InvalidRows } from './invalid-rows.tsx'
import { NewDevices, UpdatedDevices } from './planned-devices.tsx'
import type { PreparedImport } from './use-import.ts'

interface ImportPreviewProps {
  prepared: PreparedImport
  onBack(): void
  onImport(): void
  onClose(): void
}

export function ImportPreview({ prepared, onBack, onImport, onClose }: ImportPreviewProps) {
  const { name, file, plan } = prepared
  const { creations, updates, unchanged, problems, types } = plan
  const toWrite = creations.length + updates.length
  const tabs = [
    {
      value: 'invalid',
      label: 'Invalid',
      count: problems.length,
      rows: <InvalidRows problems={problems} fileName={name} />,
    },
    {
      value: 'changed',
      label: 'Changed',
      count: updates.length,
      rows: <UpdatedDevices updates={updates} types={types} />,
    },
    { value: 'new', label: 'New', count: creations.length, rows: <NewDevices creations={creations} /> },
  ].filter(({ count }) => count > 0)
  return (
    <Stack gap="sm">
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        <b>{name}</b> has {counted(file.rows.length + file.problems.length, 'row')}. Nothing has been written yet.
      </Text>
      <List size="sm" aria-label="The import’s effects">
        <List.Item>{counted(creations.length, 'new device')}</List.Item>
        <List.Item>{counted(updates.length, 'changed device')}</List.Item>
        <List.Item>{unchanged.length.toLocaleString()} unchanged</List.Item>
        <List.Item>
          {counted(problems.length, 'invalid row')}
          {problems.length > 0 && toWrite > 0 ? '; only the valid rows will be imported' : ''}
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

function SuspectColumns({ columns }: Pick<PreparedImport['file'], 'columns'>) {
  const suspects = suspectColumns(columns)
  const ignored = ignoredColumns(columns)
  if (suspects.length + ignored.length === 0) return null
  return (
    <Alert color="yellow" title="Check these columns">
      {suspects.map(({ found, meant }) => (
        <Text size="sm" key={found}>
          The column “{found}” will be imported as an attribute with that name. Did you mean the field “{meant}”?
        </Text>
      ))}
      {ignored.map((name) => (
        <Text size="sm" key={name}>
          The column “{name}” is ignored, because the field is read-only. To import it as an attribute, rename the
          column to “attributes.{name}”.
        </Text>
      ))}
    </Alert>
  )
}
