import { PREFIX } from '../csv/columns.ts'
import { type ApplicationType, type ServiceFields, toServiceEntry } from '../csv/device-services.ts'
import { divideCsv } from '../csv/divide-csv.ts'
import { neutralizeFormula } from '../csv/formulas.ts'
import type { Cell } from '../csv/rfc-4180.ts'
import { formatServices } from '../csv/services-cell.ts'
import { fieldNames } from '../fields.ts'
import type { Creation, Plan, Update } from './match-devices.ts'

type Cells = Map<string, Cell>

export interface JobRows {
  parts: string[]
  /** The line numbers in the file, keyed by the line numbers in the job. */
  fileLines: ReadonlyMap<number, number>
  register: boolean
}

/** Returns CSV with only the cells that the job needs to register devices, or to find and change them. */
export function toJobRows(
  { creations, updates }: Pick<Plan, 'creations' | 'updates'>,
  types: readonly ApplicationType[],
): JobRows {
  const rows = [
    ...creations.map((creation) => ({ cells: cellsOfCreation(creation, types), line: creation.wanted.line })),
    ...updates.map((update) => ({ cells: cellsOfUpdate(update, types), line: update.wanted.line })),
  ]
  const names = [...new Set(rows.flatMap(({ cells }) => [...cells.keys()]))]
  const { parts, lines } = divideCsv(
    names.map(neutralizeFormula),
    rows.map(({ cells }) => names.map((column) => neutralizeFormula(cells.get(column) ?? null))),
  )
  const fileLines = new Map(rows.map(({ line }, index) => [lines[index]!, line]))
  return { parts, fileLines, register: creations.length > 0 }
}

function cellsOfCreation({ wanted }: Creation, types: readonly ApplicationType[]): Cells {
  const cells: Cells = new Map()
  for (const name of fieldNames) if (wanted[name] !== null) cells.set(name, wanted[name])
  if (wanted.services.length > 0) cells.set('services', servicesCell(wanted.services, types))
  for (const [name, value] of wanted.attributes) cells.set(`${PREFIX}${name}`, value)
  return cells
}

function cellsOfUpdate({ wanted, device, difference }: Update, types: readonly ApplicationType[]): Cells {
  const { fields, addServices, updateServices, attributes } = difference
  const cells: Cells = new Map([['id', device.id]])
  for (const [name, value] of Object.entries(fields)) cells.set(name, value)
  // Write all services of the row, because the server pairs them with the device's services.
  if (addServices.length + updateServices.length > 0) cells.set('services', servicesCell(wanted.services, types))
  for (const [name, value] of attributes) cells.set(`${PREFIX}${name}`, value)
  return cells
}

const servicesCell = (services: readonly ServiceFields[], types: readonly ApplicationType[]): string =>
  formatServices(services.map((service) => toServiceEntry(service, types)))
