import type { Api } from './api.ts'
import { attributeColumn, fixedColumns } from './csv/columns.ts'
import { flattenAttributes } from './csv/device-row.ts'
import { type ApplicationType, toServiceEntry } from './csv/device-services.ts'
import { formatNeutralRow } from './csv/formulas.ts'
import { type Cell, formatCsvRow } from './csv/rfc-4180.ts'
import { formatServices } from './csv/services-cell.ts'
import { fieldNames } from './fields.ts'
import { type Device, deviceSelection } from './import/device.ts'
import { type DeviceFilter, listDevices } from './list-devices.ts'

interface Facts {
  applicationTypes: ApplicationType[]
  login: { attributeNames: { name: string; devices: number }[] }
}

export interface ExportOptions {
  /** Device filters. The export lists the devices of each filter in turn, sorted by name. Default: all devices. */
  lists?: readonly DeviceFilter[]
  /** Returns whether to export a device that matches a filter. By default, every such device is exported. */
  isWanted?: (id: string) => boolean
  /** Whether to write formulas unchanged. To import such a file, set `isRaw` of `readDeviceFile`. */
  isRaw?: boolean
  write: (text: string, devices: number) => void | Promise<void>
  signal?: AbortSignal
}

/**
 * Writes a header and the devices as CSV for `readDeviceFile`, and returns the number of devices. Throws NewNameError
 * if a device has an attribute name that the server did not list.
 */
export async function exportDevices(
  api: Api,
  { lists = [{}], isWanted = () => true, isRaw = false, write, signal }: ExportOptions,
): Promise<number> {
  const document = '{ applicationTypes { id name port } login { attributeNames { name devices } } }'
  const { applicationTypes, login } = await api.query<Facts>(document, {}, { signal })
  const names = login.attributeNames
    .filter(({ devices }) => devices > 0)
    .map(({ name }) => name)
    .sort()
  const known = new Set(names)
  const format = isRaw ? formatCsvRow : formatNeutralRow
  // Write the header with the first page, so that there is no output if the first filter is invalid.
  let header = format([...fixedColumns, ...names.map(attributeColumn)])
  let count = 0
  for (const filter of lists) {
    const pages = listDevices<Device>(api, { filter, sortBy: ['name asc'], select: deviceSelection, signal })
    for await (const page of pages) {
      const items = page.filter(({ id }) => isWanted(id))
      const rows = items.map((device) => format(cellsOf(device, known, applicationTypes)))
      await write(header + rows.join(''), items.length)
      header = ''
      count += items.length
    }
  }
  if (header !== '') await write(header, 0)
  return count
}

function cellsOf(device: Device, names: ReadonlySet<string>, types: readonly ApplicationType[]): Cell[] {
  const attributes = flattenAttributes(device.attributes)
  // Sort the entries, so that devices with the same services have the same cell.
  const entries = device.services.map((service) => formatServices([toServiceEntry(service, types)])).sort()
  assertAllWritten(attributes, names)
  return [
    ...fieldNames.map((name) => device[name]),
    entries.join(';') || null,
    ...[...names].map((name) => attributes.get(name) ?? null),
  ]
}

/** A device has an attribute name that the server did not list, for example because the name is new. */
export class NewNameError extends Error {
  constructor(name: string) {
    super(
      `the file has no column for the attribute ${JSON.stringify(name)}, because the server did not list that attribute`,
    )
    this.name = 'NewNameError'
  }
}

function assertAllWritten(attributes: ReadonlyMap<string, string>, names: ReadonlySet<string>): void {
  for (const name of attributes.keys()) if (!names.has(name)) throw new NewNameError(name)
}
