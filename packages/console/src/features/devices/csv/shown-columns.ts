import type { Api } from '@muster/fleet-csv/api'
import { formatCsvRow } from '@muster/fleet-csv/csv/cells'
import { neutralizeFormula } from '@muster/fleet-csv/csv/formulas'
import { listDevices } from '@muster/fleet-csv/list-devices'
import { labelledFields } from '../../user-settings/labels.ts'
import { attributeOf, attributeValue, type Column } from '../columns.ts'
import type { ExportSource } from './devices-to-export.ts'

export interface ShownColumnsExport {
  source: ExportSource
  columns: readonly Column[]
  /** As the list is sorted. */
  sort: string
  /** In which attributes are read. */
  context: string | undefined
  write(text: string, devices: number): void
  signal: AbortSignal
}

/** Writes what the list shows of each device, for people and spreadsheets: it does not import again. */
export async function exportShownColumns(
  api: Api,
  { source, columns, sort, context, write, signal }: ShownColumnsExport,
): Promise<void> {
  const withAttributes = columns.some(({ id }) => attributeOf(id) !== undefined)
  const select = withAttributes ? `${fields} attributes(context: $context)` : fields
  write(row(columns.map(({ label }) => label)), 0)
  for (const list of source.lists) {
    for await (const page of listDevices<ShownDevice>(api, { filter: { ...list, context }, sort, select, signal })) {
      const wanted = page.filter(({ id }) => source.isWanted(id))
      write(wanted.map((device) => row(columns.map((column) => textOf(device, column)))).join(''), wanted.length)
    }
  }
}

const fields = `id name state platform created lastReported hardwareId services { name } ${labelledFields.join(' ')}`

interface ShownDevice {
  id: string
  services: readonly { name: string }[]
  attributes?: Record<string, unknown>
}

function textOf(device: ShownDevice, { id }: Column): string | null {
  if (id === 'services') return device.services.map(({ name }) => name).join('; ')
  const attribute = attributeOf(id)
  if (attribute !== undefined) return attributeValue(device.attributes, attribute) ?? null
  const value = (device as unknown as Readonly<Record<string, unknown>>)[id]
  return typeof value === 'string' ? value : null
}

const row = (cells: readonly (string | null)[]): string =>
  formatCsvRow(cells.map((cell) => neutralizeFormula(cell || null)))
