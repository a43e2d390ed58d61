import { sql } from 'kysely'
import type { Context } from '../../context.ts'
import type { CompiledField, LeafField } from '../../graphql/written/field-writer.ts'
import { assertReadable } from '../attributes/attribute-access.ts'
import type { DeviceRow } from '../devices/device-row.ts'
import type { Sql } from '../filters/sql/filter-scope.ts'
import { stateColumn } from './service-row.ts'
import { writeServicesOfDevices } from './services.queries.ts'
import { readServiceFilter, readServiceOrder, type ServiceListArguments } from './services-of-device-arguments.ts'

/** JSON in consecutive parts: fixed strings, and SQL expressions that return strings. */
type Parts = readonly (string | Sql)[]

const quoted = (text: Sql): Parts => ['"', text, '"']
/** Converts a string to JSON. PostgreSQL escapes the same characters in the same way as `JSON.stringify`. */
const textJson = (text: Sql): Sql => sql`to_json(${text})::text`
const orNull = (json: Sql): Sql => sql`coalesce(${json}, 'null')`
const timeText = (time: Sql): Sql => sql`to_char(${time}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
const truth = (condition: Sql): Sql => sql`case when ${condition} then 'true' else 'false' end`

/** The JSON of each field. The expressions use the aliases `s`, `live`, and `device` of `writeServicesOfDevices`. */
const fieldJson: Readonly<Record<string, Parts>> = {
  __typename: ['"Service"'],
  id: quoted(sql`s.id`),
  name: [textJson(sql`s.name`)],
  application: [sql`s.application::text`],
  host: [orNull(textJson(sql`s.host`))],
  port: [orNull(sql`s.port::text`)],
  enabled: [truth(sql`s.enabled`)],
  created: quoted(timeText(sql`s.created`)),
  state: quoted(stateColumn),
  online: [truth(sql`${stateColumn} = 'active'`)],
  lastReported: [orNull(sql`'"' || ${timeText(sql`live.last_reported`)} || '"'`)],
}

/**
 * The maximum number of field selections that the database writes as JSON. The number is limited because each selection
 * is a separate statement, which every connection prepares.
 */
const MAX_SELECTIONS = 200

const selections = new Set<string>()

/**
 * Returns the SQL expression for a service's JSON. Returns undefined if a resolver must supply one of the fields. Also
 * returns undefined if the selection is new and the number of selections has reached `MAX_SELECTIONS`.
 */
function serviceJson(fields: readonly LeafField[]): Sql | undefined {
  const parts: (string | Sql)[] = []
  for (const [index, { key, name }] of fields.entries()) {
    const json = fieldJson[name]
    if (json === undefined) return undefined
    parts.push(`${index === 0 ? '{' : ','}"${key}":`, ...json)
  }
  const selection = JSON.stringify(fields)
  if (!selections.has(selection) && selections.size >= MAX_SELECTIONS) return undefined
  selections.add(selection)
  return concatenated([...parts, '}'])
}

/** Concatenates the parts. Adjacent strings are merged, because PostgreSQL copies everything before each `||`. */
function concatenated(parts: Parts): Sql {
  const operands: Sql[] = []
  let text = ''
  for (const part of parts) {
    if (typeof part === 'string') {
      text += part
      continue
    }
    operands.push(sql.lit(text), part)
    text = ''
  }
  return sql.join([...operands, sql.lit(text)], sql` || `)
}

/** Writes the services of devices as JSON that the database creates. */
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
        const ofDevice: (string | undefined)[] = Array(rows.length)
        for (const [position, services, count] of written) {
          addObjects(count)
          if (services !== null) ofDevice[position - 1] = services
        }
        return (writer, _row, index) => {
          writer.ascii('[')
          writer.json(ofDevice[index] ?? '')
          writer.ascii(']')
        }
      })
    )
  },
}
