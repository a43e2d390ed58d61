import type { Api } from '@muster/fleet-csv/api'
import { neutralizeFormula } from '@muster/fleet-csv/csv/formulas'
import { formatCsvRow } from '@muster/fleet-csv/csv/rfc-4180'
import { listDevices } from '@muster/fleet-csv/list-devices'
import { labeledFields } from '../../user-settings/labels.ts'
import { attributeOf, attributeValue, type Column } from '../columns/columns.ts'
import type { ExportSource } from './export-source.ts'

interface ShownColumnsExport {
  source: ExportSource
  columns: readonly Column[]
  sortBy: string[]
  context: string | undefined
  write(text: string, devices: number): void
  signal: AbortSignal
}

/** Exports the list's columns as CSV, in a format that an import does not accept. */
export async function exportShownColumns(
  api: Api,
  { source, columns, sortBy, context, write, signal }: ShownColumnsExport,
): Promise<void> {
  const withAttributes = columns.some(({ id }) => attributeOf(id) !== undefined)
  const select = withAttributes ? `${fields} attributes(context: $context)` : fields
  write(row(columns.map(({ label }) => label)), 0)
  for (const filter of source.filters) {
    for await (const page of listDevices<ShownDevice>(api, {
      filter: { ...filter, context },
      sortBy,
      select,
      signal,
    })) {
      const included = page.filter(({ id }) => source.isIncluded(id))
      write(included.map((device) => row(columns.map((column) => cellValue(device, column)))).join(''), included.length)
    }
  }
}

const fields = `id name state platform created lastReported hardwareId services { name } ${labeledFields.join(' ')}`

interface ShownDevice {
  id: string
  services: readonly { name: string }[]
  attributes?: Record<string, unknown>
}

function cellValue(device: ShownDevice, { id }: Column): string | null {
  if (id === 'services') return device.services.map(({ name }) => name).join('; ')
  const attribute = attributeOf(id)
  if (attribute !== undefined) return attributeValue(device.attributes, attribute) ?? null
  const value = (device as unknown as Readonly<Record<string, unknown>>)[id]
  return typeof value === 'string' ? value : null
}

const row = (cells: readonly (string | null)[]): string =>
  formatCsvRow(cells.map((cell) => neutralizeFormula(cell || null)))
