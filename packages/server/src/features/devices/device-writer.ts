import { type FieldWriter, textColumn, timeColumn } from '../../graphql/written/field-writer.ts'
import { categoryAndStatus } from '../attributes/attribute-name.ts'
import { columnOfReserved, type DeviceRow } from './device-row.ts'

/** Writes the same values that the resolvers of `Device` return. */
export const deviceWriter: Readonly<Record<string, FieldWriter<DeviceRow, unknown>>> = {
  id: textColumn(0),
  name: textColumn(1),
  hardwareId: textColumn(2),
  platform: textColumn(3),
  created: timeColumn(4),
  state: textColumn(5),
  online: (writer, row) => writer.ascii(String(row[5] === 'active')),
  stateSince: timeColumn(6),
  lastReported: timeColumn(7),
  ...Object.fromEntries(categoryAndStatus.map((name) => [name, textColumn(columnOfReserved(name))])),
}
