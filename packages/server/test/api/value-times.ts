import { sql } from 'kysely'
import { createEventPartitions } from '../../src/db/event-partitions.ts'
import type { TestApp, TestUser } from '../harness/app.ts'

export interface ValueInfo {
  value: string | null
  setIn: string | null
  changed: string | null
  confirmed: string | null
  expectedInterval: number | null
  isStale: boolean
}

const infoFields = 'value setIn changed confirmed expectedInterval isStale'

export interface Gate {
  id: string
  service: string
  secret: string
}

export async function registerGate(user: TestUser, attributes: object = {}): Promise<Gate> {
  const { registerDevice } = await user.data(
    `mutation ($attributes: Object) {
      registerDevice(name: "gate", services: [{ name: "ssh" }], attributes: $attributes) { secret device { id services { id } } } }`,
    { attributes },
  )
  const { id, services } = registerDevice.device
  return { id, service: services[0].id, secret: registerDevice.secret }
}

/** Sets the expected interval of an attribute name, or removes the interval if `seconds` is null. */
export const expectEvery = (user: TestUser, name: string, seconds: number | null) =>
  user.query(
    'mutation ($name: String!, $seconds: Int) { setExpectedInterval(name: $name, seconds: $seconds) { name seconds stale } }',
    { name, seconds },
  )

export const setOne = (user: TestUser, id: string, [name, value]: [string, string | null], context?: string) =>
  user.data(
    'mutation ($id: String!, $name: String!, $value: String, $context: String) { setAttribute(serviceId: $id, name: $name, value: $value, context: $context) }',
    { id, name, value, context },
  )

export async function infoOf(user: TestUser, id: string, name: string, context?: string): Promise<ValueInfo> {
  const isUser = id === user.accountId
  const info = `attributeInfo(names: [$name], context: $context) { ${infoFields} }`
  const { login } = await user.data(
    `query (${isUser ? '' : '$id: String!,'} $name: String!, $context: String) {
      login { ${isUser ? info : `service(id: [$id]) { ${info} }`} } }`,
    { ...(isUser ? {} : { id }), name, context },
  )
  return (isUser ? login : login.service[0]).attributeInfo[0]
}

export const changesOf = ({ db }: Pick<TestApp, 'db'>, user: TestUser) =>
  sql<{ type: string; timestamp: Date; target: string; changes: Record<string, unknown> | null }>`
    select type, "timestamp", targets -> 0 ->> 'id' as target, data -> 'changes' as changes from event
    where account_id = ${user.accountId} and type in ('ATTRIBUTE_CHANGE', 'DEVICE_REGISTER') order by id`
    .execute(db)
    .then(({ rows }) => rows)

/**
 * Moves these times `seconds` seconds into the past:
 * - the times of a user's values and events
 * - the creation times of the user's devices and services
 * - the time when the server began to record the times of values
 */
export async function passTime({ db }: Pick<TestApp, 'db'>, user: TestUser, seconds: number): Promise<void> {
  const { accountId } = user
  const earlier = sql`(select coalesce(jsonb_object_agg(key, case jsonb_typeof(value)
      when 'array' then jsonb_build_array((value ->> 0)::bigint - ${seconds * 1_000}::int, (value ->> 1)::bigint - ${seconds * 1_000}::int)
      else to_jsonb(value::text::bigint - ${seconds * 1_000}::int) end), '{}') from jsonb_each(attribute_times))`
  const back = (time: Date): Date => new Date(time.getTime() - seconds * 1_000)
  // Calculate the times in a separate query, because a Citus cluster rejects updates that calculate times.
  for (const [table, account, ...keys] of [
    ['device', 'account_id', 'id'],
    ['device_live', 'account_id', 'device_id'],
    ['service', 'account_id', 'id'],
    ['attribute_override', 'account_id', 'target_id', 'context'],
    ['account', 'id'],
  ] as const) {
    const hasCreated = table === 'device' || table === 'service'
    const columns = [...keys, ...(hasCreated ? ['created'] : [])].map((name) => sql`, ${sql.ref(name)}`)
    const { rows } = await sql<{ times: object; created: Date; [key: string]: unknown }>`
      select ${earlier} as times ${sql.join(columns, sql``)} from ${sql.table(table)}
      where ${sql.ref(account)} = ${accountId}`.execute(db)
    for (const row of rows) {
      const created = hasCreated ? sql`, created = ${back(row.created)}` : sql``
      const isRow = keys.map((name) => sql`and ${sql.ref(name)} = ${row[name]}`)
      await sql`update ${sql.table(table)} set attribute_times = ${JSON.stringify(row.times)}::jsonb ${created}
        where ${sql.ref(account)} = ${accountId} ${sql.join(isRow, sql` `)}`.execute(db)
    }
  }
  const events = await sql<{ id: string; timestamp: Date }>`
    select id::text, "timestamp" from event where account_id = ${accountId}`.execute(db)
  // A new database has no partition for earlier months.
  await createEventPartitions(db, back(new Date()))
  for (const { id, timestamp } of events.rows)
    await sql`update event set "timestamp" = ${back(timestamp)} where account_id = ${accountId} and id = ${id}::bigint
      and "timestamp" = ${timestamp}`.execute(db)
  const { rows } = await sql<{ since: Date }>`select since from attribute_times_start`.execute(db)
  await sql`update attribute_times_start set since = ${back(rows[0]!.since)}`.execute(db)
}

export const findDevices = async (user: TestUser, where: string, context?: string): Promise<string[]> => {
  const { login } = await user.data(
    'query ($where: String, $context: String) { login { devices(where: $where, context: $context) { items { id } } } }',
    { where, context },
  )
  return login.devices.items.map(({ id }: { id: string }) => id)
}
