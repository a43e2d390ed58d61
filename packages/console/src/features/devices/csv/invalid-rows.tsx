import { Button, Group, Stack, Table } from '@mantine/core'
import { neutralizeFormula } from '@muster/fleet-csv/csv/formulas'
import { type CsvProblem, formatCsvRow } from '@muster/fleet-csv/csv/rfc-4180'
import { IconDownload } from '@tabler/icons-react'
import { downloadCsv } from '../../../components/download.ts'
import { RowTable, SHOWN_ROWS } from './row-table.tsx'

interface InvalidRowsProps {
  problems: readonly CsvProblem[]
  fileName: string
}

export function InvalidRows({ problems, fileName }: InvalidRowsProps) {
  const sorted = problems.toSorted((one, other) => one.line - other.line)
  const save = (): void => {
    const rows = sorted.map(({ line, reason }) => formatCsvRow([String(line), neutralizeFormula(reason)]))
    downloadCsv(`${fileName.replace(/\.csv$/i, '')}-invalid-rows.csv`, [formatCsvRow(['line', 'reason']), ...rows])
  }
  return (
    <Stack gap="xs">
      <RowTable label="Invalid rows" columns={['Line', 'Error']} count={sorted.length}>
        {sorted.slice(0, SHOWN_ROWS).map(({ line, reason }) => (
          <Table.Tr key={line}>
            <Table.Td w={70}>{line}</Table.Td>
            <Table.Td>{reason}</Table.Td>
          </Table.Tr>
        ))}
      </RowTable>
      <Group>
        <Button size="xs" variant="default" leftSection={<IconDownload size={14} aria-hidden="true" />} onClick={save}>
          Download this list
        </Button>
      </Group>
    </Stack>
  )
}
