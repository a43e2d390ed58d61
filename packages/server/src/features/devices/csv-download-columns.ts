import type { DeviceField, ServiceField } from '@muster/filter'
import { attributeColumn } from '@muster/fleet-csv/csv/columns'
import { toServiceEntry } from '@muster/fleet-csv/csv/device-services'
import type { Cell } from '@muster/fleet-csv/csv/rfc-4180'
import { formatServices } from '@muster/fleet-csv/csv/services-cell'
import { parseTime, type StoredTime } from '../../db/type-parsers.ts'
import { badInput } from '../../errors.ts'
import { type AttributeName, joinAttributeName, RESERVED_GROUP } from '../attributes/attribute-name.ts'
import { type Attributes, valueAt } from '../attributes/attributes.ts'
import { readSubject } from '../filters/read-subject.ts'
import type { ValueSubject } from '../filters/sql/value-source.ts'
import { applicationTypes, findApplicationType } from '../services/application-types.ts'
import type { Service } from '../services/service.ts'
import type { Device } from './device.ts'

export interface CsvDevice {
  device: Device
  attributes: Attributes
  overrides: Attributes
  /** All services except the bulk service. */
  services: readonly Service[]
  contexts: readonly string[]
  owner: string
}

export interface CsvColumn {
  header: string
  cell: (device: CsvDevice) => Cell
  /** The data that the cell needs in addition to the device's fields. `fields` means no other data. */
  reads: 'fields' | 'reserved' | 'attributes' | 'services' | 'contexts'
}

export interface NamedColumn {
  name: string
  label: string | null
}

/** The device fields that `muster import` can set. */
export const importableFields = ['name', 'hardwareId', 'platform', 'services'] as const

/** Without a label, the header is the name that `muster import` recognizes. */
export function csvColumn({ name, label }: NamedColumn, path: string): CsvColumn {
  if (name === 'services') return { header: label ?? name, reads: 'services', cell: servicesCell }
  const { subject } = readSubject(name, path)
  return { ...columnOf(subject, { name, path }), ...(label !== null && { header: label }) }
}

function columnOf(subject: ValueSubject, { name, path }: { name: string; path: string }): CsvColumn {
  if (subject.type === 'field' && subject.of === 'device')
    return { header: name, reads: subject.name === 'contexts' ? 'contexts' : 'fields', cell: fieldCells[subject.name] }
  if (subject.type === 'field' && subject.of === 'service' && subject.name !== 'contexts')
    return { header: name, reads: 'services', cell: cellOfServices(subject.name) }
  if (subject.type === 'attribute' && subject.of === 'device') return attributeOf(subject.name)
  throw badInput(
    `${path}: a CSV file of devices cannot contain ${JSON.stringify(name)}: use a field of devices, such as name, ` +
      'a field of services except contexts, such as services.port, or an attribute of devices, such as attributes.site',
  )
}

function attributeOf(name: AttributeName): CsvColumn {
  return {
    header: attributeColumn(joinAttributeName(name)),
    reads: name[0] === RESERVED_GROUP ? 'reserved' : 'attributes',
    cell: ({ attributes, overrides }) => valueAt(overrides, name) ?? valueAt(attributes, name),
  }
}

const timeText = (time: StoredTime | null): Cell => (time === null ? null : parseTime(time).toISOString())

const fieldCells: Readonly<Record<DeviceField, CsvColumn['cell']>> = {
  id: ({ device }) => device.id,
  name: ({ device }) => device.name,
  hardwareId: ({ device }) => device.hardwareId,
  platform: ({ device }) => device.platform,
  created: ({ device }) => timeText(device.created),
  state: ({ device }) => device.state,
  online: ({ device }) => String(device.state === 'active'),
  stateSince: ({ device }) => timeText(device.stateSince),
  lastReported: ({ device }) => timeText(device.lastReported),
  owner: ({ owner }) => owner,
  contexts: ({ contexts }) => joined(contexts),
}

const servicesCell = ({ services }: CsvDevice): Cell =>
  // The formatted services are sorted by UTF-16 code units, so that devices with equal services have equal cells.
  joined(services.map((service) => formatServices([toServiceEntry(service, applicationTypes)])).sort())

const cellOfServices =
  (field: Exclude<ServiceField, 'contexts'>) =>
  ({ services }: CsvDevice): Cell =>
    joined(new Set(services.flatMap((service) => serviceCells[field](service) ?? [])))

const serviceCells: Readonly<Record<Exclude<ServiceField, 'contexts'>, (service: Service) => Cell>> = {
  id: ({ id }) => id,
  name: ({ name }) => name,
  application: ({ application }) => String(application),
  title: ({ application }) => findApplicationType(application)?.name ?? String(application),
  host: ({ host }) => host,
  port: ({ port }) => (port === null ? null : String(port)),
  protocol: ({ application }) => findApplicationType(application)?.protocol ?? 'tcp',
  enabled: ({ enabled }) => String(enabled),
  created: ({ created }) => timeText(created),
  state: ({ state }) => state,
  online: ({ state }) => String(state === 'active'),
  lastReported: ({ lastReported }) => timeText(lastReported),
}

const joined = (values: Iterable<string>): Cell => [...values].join(';') || null
