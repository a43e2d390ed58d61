import type { Context } from '../../context.ts'
import type { CompiledField } from '../../graphql/written/field-writer.ts'
import type { JsonWriter } from '../../graphql/written/json-writer.ts'
import {
  ATTRIBUTES_COLUMN,
  attributesOfRow,
  columnOfReserved,
  type DeviceRow,
  hasOverrides,
} from '../devices/device-row.ts'
import { readableOnly } from './attribute-access.ts'
import { parseContext, RESERVED_GROUP } from './attribute-name.ts'
import { findOverrides } from './attributes.queries.ts'
import { overlay, reservedColumns } from './attributes.ts'

/** Uses a single statement to read the overrides of all devices on a page. */
export const attributesOfDevice: CompiledField<DeviceRow, Context> = {
  compile: () => async (page) => {
    const { rows, args, context } = page
    const name = parseContext(args.context as string | null | undefined, 'context')
    if (name === undefined) return writeBase
    const targetIds = rows.filter(hasOverrides).map(([id]) => id)
    if (targetIds.length === 0) return writeBase
    const found = await findOverrides(context.db, context.viewer.accountId, { targetIds, context: name })
    const overrides = new Map(found.map((row) => [row.target_id, row.attributes]))
    return (writer, row) => {
      const overriding = overrides.get(row[0])
      if (overriding === undefined) return void writeBase(writer, row)
      // The page contains only base values that the viewer can read.
      const base = attributesOfRow(row).value
      writer.json(JSON.stringify(overlay(base, readableOnly(context.viewer, overriding))))
    }
  },
}

const reserved = Array.from(reservedColumns.keys(), (name) => ({ key: `"${name}":`, column: columnOfReserved(name) }))
const group = `"${RESERVED_GROUP}": {`

function writeBase(writer: JsonWriter, row: DeviceRow): void {
  const others = row[ATTRIBUTES_COLUMN] as string
  writer.json(others)
  let isFirst = true
  for (const { key, column } of reserved) {
    const value = row[column] as string | null
    if (value === null) continue
    if (isFirst) writer.reopen()
    writer.ascii(isFirst ? (others === '{}' ? group : `, ${group}`) : ',')
    writer.ascii(key)
    writer.string(value)
    isFirst = false
  }
  if (!isFirst) writer.ascii('}}')
}
