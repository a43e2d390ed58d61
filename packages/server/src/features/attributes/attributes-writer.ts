import type { Context } from '../../context.ts'
import type { CompiledField } from '../../graphql/written/row-writers.ts'
import { attributesOfRow, type DeviceRow } from '../devices/device-row.ts'
import { parseContext } from './attribute-name.ts'
import { findOverrides } from './attributes.queries.ts'
import { overlay } from './overlay.ts'
import { readableOnly } from './readable-names.ts'

/** Writes the attributes of the devices on a page. In a context, one statement reads the overrides of all devices. */
export const attributesOfDevice: CompiledField<DeviceRow, Context> = {
  compile: () => async (page) => {
    const { rows, args, context } = page
    const name = parseContext(args.context as string | null | undefined, 'context')
    if (name === undefined) return (row) => attributesOfRow(row).text
    const ids = rows.map(([id]) => id)
    const contexts = ids.map(() => name)
    const found = await findOverrides(context.db, context.viewer.accountId, ids, contexts)
    const overrides = new Map(found.map((row) => [row.target_id, row.attributes]))
    return (row) => {
      const base = attributesOfRow(row)
      const overriding = overrides.get(row[0])
      // The page contains only base values that the viewer can read.
      return overriding === undefined
        ? base.text
        : JSON.stringify(overlay(base.value, readableOnly(context.viewer, overriding)))
    }
  },
}
