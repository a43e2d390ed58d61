import type { FieldWriter, WriteField } from '../../../graphql/written/field-writer.ts'
import { findApplicationType } from '../application-types.ts'
import type { ListedServiceRow } from './service-list.queries.ts'

/** Writes a number, a boolean, or null. `String` converts all of these to JSON. */
const plain =
  (read: (row: ListedServiceRow['row']) => number | boolean | null): WriteField<ListedServiceRow> =>
  (writer, { row }) =>
    writer.ascii(String(read(row)))

/** Writes the same values that the resolvers of `Service` return. */
export const serviceWriter: Readonly<Record<string, FieldWriter<ListedServiceRow, unknown>>> = {
  id: (writer, { row }) => writer.string(row[1]),
  name: (writer, { row }) => writer.string(row[2]),
  application: plain((row) => row[3]),
  title: (writer, { row }) => writer.string(findApplicationType(row[3])?.name ?? String(row[3])),
  protocol: (writer, { row }) => writer.string(findApplicationType(row[3])?.protocol ?? 'tcp'),
  host: (writer, { row }) => writer.string(row[4]),
  port: plain((row) => row[5]),
  enabled: plain((row) => row[6]),
  created: (writer, { row }) => writer.time(row[7]),
  state: (writer, { row }) => writer.string(row[8]),
  online: plain((row) => row[8] === 'active'),
  lastReported: (writer, { row }) => writer.time(row[9]),
}
