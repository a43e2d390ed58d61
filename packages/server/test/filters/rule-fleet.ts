import { sql } from 'kysely'
import { createUserWithDevices } from '../api/device-lists.ts'
import type { TestApp, TestUser } from '../harness/app.ts'

const day = 86_400_000

/**
 * Creates a user with three devices: gate, door, and wall. Their values are those that the tests of filters and of
 * checkFilter expect.
 */
export async function createRuleFleet(app: TestApp): Promise<{ user: TestUser; ids: string[] }> {
  const created = await createUserWithDevices(app, [
    {
      name: 'gate',
      hardwareId: 'HW-1',
      platform: 'linux',
      state: 'active',
      created: new Date('2026-02-03T10:00:00Z'),
      lastReported: new Date(Date.now() - day),
      statusA: 'up',
      attributes: { site: 'oslo', net: { ssid: 'lab' }, rack: '010', state: 'x', 'rack row': '3', categoryA: 'own' },
      overrides: { night: { site: 'riga' } },
    },
    {
      name: 'door',
      created: new Date('2026-02-03T23:59:59.999Z'),
      lastReported: new Date(Date.now() - 3 * day),
      attributes: { site: 'Oslo-North', rack: '10', load: '0.5' },
    },
    { name: 'wall', platform: 'rtos', created: new Date('2026-02-04T00:00:00Z'), attributes: { site: '', AND: '1' } },
  ])
  const { user, ids } = created
  const service = (device: string, id: string, name: string, port: number, state: string) =>
    sql`
    with new_service as (
      insert into service (account_id, device_id, id, name, application, port, host, attributes)
      values (${user.accountId}, ${device}, ${id}, ${name}, 28, ${port}, ${`${name}.example`}, '{"path": "/x"}'))
    insert into service_live (account_id, service_id, device_id, state, state_since, last_reported)
    values (${user.accountId}, ${id}, ${device}, ${state}, now(), now())`.execute(app.db)
  await service(ids[0]!, '80:00:00:00:00:00:01:01', 'ssh', 22, 'inactive')
  await service(ids[0]!, '80:00:00:00:00:00:01:02', 'web', 80, 'active')
  await user.data('{ login { attributeNames { name } } }')
  return created
}

const list = `query ($where: String, $context: String) { login {
  devices(where: $where, context: $context, sort: "created") { items { name } total } } }`

/**
 * Returns the names of the matching devices as one string, separated by spaces, with the oldest device first. Throws if
 * `total` is not the number of these devices.
 */
export async function findNames(user: TestUser, where: string, context?: string): Promise<string> {
  const { login } = await user.data(list, { where, context })
  const { items, total } = login.devices
  if (total !== items.length) throw new Error(`${where}: total is ${total}, but ${items.length} devices match`)
  return items.map(({ name }: { name: string }) => name).join(' ')
}

export interface Check {
  canonical: string | null
  points: number
  problems: { message: string; line: number; column: number; length: number; suggestion: string | null }[]
  warnings: { message: string }[]
  terms: { name: string; comparedAs: string; isIndexed: boolean; from: number; to: number }[]
  completions: { kind: string; text: string; from: number; to: number; count: number | null }[]
}

export async function checkFilter(
  user: TestUser,
  where: string,
  more: { kind?: string; cursor?: number; context?: string } = {},
): Promise<Check> {
  const document = `query ($where: String!, $kind: FilterKind! = DEVICES, $cursor: Int, $context: String) { login {
    checkFilter(where: $where, kind: $kind, cursor: $cursor, context: $context) {
      canonical points problems { message line column length suggestion } warnings { message }
      terms { name comparedAs isIndexed from to } completions { kind text from to count } } } }`
  return (await user.data(document, { where, ...more })).login.checkFilter
}
