import { type RawBuilder, sql } from 'kysely'
import type { Context } from '../../context.ts'
import type { CompiledField, LeafField } from '../../graphql/written/row-writers.ts'
import { assertReadable } from '../attributes/readable-names.ts'
import type { DeviceRow } from '../devices/device-row.ts'
import { stateColumn } from './service-row.ts'
import { writeServicesOfDevices } from './services.queries.ts'
import { readServiceFilter, readServiceOrder, type ServiceListArguments } from './services-of-device-arguments.ts'

type Sql = RawBuilder<unknown>

const quoted = (text: Sql): Sql => sql`'"' || ${text} || '"'`
/**
 * Converts text to JSON in the database. PostgreSQL escapes the same characters in the same way as `JSON.stringify`.
 */
const textJson = (text: Sql): Sql => sql`to_json(${text})::text`
const orNull = (json: Sql): Sql => sql`coalesce(${json}, 'null')`
const timeJson = (time: Sql): Sql => quoted(sql`to_char(${time}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`)
const truth = (condition: Sql): Sql => sql`case when ${condition} then 'true' else 'false' end`

/** Contains the JSON of each field, as an expression on `service s` and `service_live live`. */
const fieldJson: Readonly<Record<string, Sql>> = {
  __typename: sql`'"Service"'`,
  id: quoted(sql`s.id`),
  name: textJson(sql`s.name`),
  application: sql`s.application::text`,
  host: orNull(textJson(sql`s.host`)),
  port: orNull(sql`s.port::text`),
  enabled: truth(sql`s.enabled`),
  created: timeJson(sql`s.created`),
  state: quoted(stateColumn),
  online: truth(sql`${stateColumn} = 'active'`),
  lastReported: orNull(timeJson(sql`live.last_reported`)),
}

/**
 * The maximum number of different selections that the database writes. The number is limited because each selection is
 * a separate statement, which every connection prepares.
 */
const MAX_SELECTIONS = 200

const selections = new Set<string>()

/** Returns an expression for the JSON of a service. Returns undefined if a resolver must supply one of the fields. */
function serviceJson(fields: readonly LeafField[]): Sql | undefined {
  const parts: Sql[] = []
  for (const [index, { key, name }] of fields.entries()) {
    const json = fieldJson[name]
    if (json === undefined) return undefined
    parts.push(sql`${sql.lit(`${index === 0 ? '{' : ','}"${key}":`)} || ${json}`)
  }
  const selection = JSON.stringify(fields)
  if (!selections.has(selection) && selections.size >= MAX_SELECTIONS) return undefined
  selections.add(selection)
  return sql`${sql.join(parts, sql` || `)} || '}'`
}

/** Writes the services of the devices on a page. The database creates their JSON. */
export const servicesOfDevice: CompiledField<DeviceRow, Context> = {
  compile(below) {
    const json = serviceJson(below)
    return (
      json &&
      (async ({ rows, args, context, addObjects }) => {
        const selection = args as ServiceListArguments
        const order = readServiceOrder(selection.sort)
        if (typeof order.by !== 'string') assertReadable(context.viewer, order.by)
        const written = await writeServicesOfDevices(context.db, context.viewer.accountId, {
          devices: rows.map(([id, , , , , state]) => ({ id, state })),
          filter: readServiceFilter(selection),
          order,
          json,
        })
        const ofDevice = rows.map(() => '[]')
        for (const [position, services, count] of written) {
          addObjects(count)
          if (services !== null) ofDevice[position - 1] = `[${services}]`
        }
        return (_row, index) => ofDevice[index]!
      })
    )
  },
}
