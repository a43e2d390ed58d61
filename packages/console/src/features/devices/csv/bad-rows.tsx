import { Button, Group, Stack, Table } from '@mantine/core'
import { type CsvProblem, formatCsvRow } from '@muster/fleet-csv/csv/cells'
import { neutralizeFormula } from '@muster/fleet-csv/csv/formulas'
import { IconDownload } from '@tabler/icons-react'
import { RowTable, SHOWN_ROWS } from './row-table.tsx'
import { saveCsv } from './save-file.ts'

interface BadRowsProps {
  problems: readonly CsvProblem[]
  fileName: string
}

/** Rows that do not go in, and why; the whole list can be saved to work through. */
export function BadRows({ problems, fileName }: BadRowsProps) {
  const sorted = problems.toSorted((one, other) => one.line - other.line)
  const save = (): void => {
    const rows = sorted.map(({ line, reason }) => formatCsvRow([String(line), neutralizeFormula(reason)]))
    saveCsv(`${fileName.replace(/\.csv$/i, '')}-bad-rows.csv`, [formatCsvRow(['line', 'reason']), ...rows])
  }
  return (
    <Stack gap="xs">
      <RowTable label="Bad rows" columns={['Line', 'What is wrong']} count={sorted.length}>
        {sorted.slice(0, SHOWN_ROWS).map(({ line, reason }) => (
          <Table.Tr key={line}>
            <Table.Td w={70}>{line}</Table.Td>
            <Table.Td>{reason}</Table.Td>
          </Table.Tr>
        ))}
      </RowTable>
      <Group>
        <Button size="xs" variant="default" leftSection={<IconDownload size={14} aria-hidden="true" />} onClick={save}>
          Save this list
        </Button>
      </Group>
    </Stack>
  )
}
