import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { newDevice, set } from '../../../test/factories/attribute-changes.ts'
import { failure, keyOf, sendAsUser } from '../../../test/factories/keys.ts'
import { startTestApp, type TestApp, type TestUser } from '../../../test/harness/app.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())

interface Info {
  name: string
  value: string | null
  setIn: string | null
  base: string | null
  changed: string | null
}

const infoFields = 'attributeInfo(names: $names, context: $context) { name value setIn base changed }'

async function infoOf(user: TestUser, id: string, args: { names?: string[]; context?: string } = {}): Promise<Info[]> {
  const { login } = await user.data(
    `query ($id: String!, $names: [String!], $context: String) { login { service(id: [$id]) { ${infoFields} } } }`,
    { id, ...args },
  )
  return login.service[0].attributeInfo
}

async function timesOf(user: TestUser, id: string, name: string): Promise<string[]> {
  const { login } = await user.data(
    'query ($id: String!, $name: String) { login { service(id: [$id]) { attributeHistory(name: $name) { items { at } } } } }',
    { id, name },
  )
  return login.service[0].attributeHistory.items.map(({ at }: { at: string }) => at)
}

const short = (infos: readonly Info[]) => infos.map(({ name, value, setIn, base }) => [name, value, setIn, base])

it('returns every value with the time of its last change', async () => {
  const user = await app.createUser()
  const id = await newDevice(user, { site: 'oslo', net: { ssid: 'lab' }, $svc: { categoryA: 'a' } })
  await set(user, id, { net: { ssid: 'den' } })
  await set(user, id, { net: { ssid: 'lab' } })
  // Setting an attribute to its current value is not a change.
  await set(user, id, { site: 'oslo' })
  const infos = await infoOf(user, id)
  expect(short(infos)).toEqual([
    ['$svc.categoryA', 'a', null, null],
    ['net.ssid', 'lab', null, null],
    ['site', 'oslo', null, null],
  ])
  const [registered] = await timesOf(user, id, 'site')
  expect(infos.map(({ changed }) => changed)).toEqual([
    registered,
    (await timesOf(user, id, 'net.ssid'))[0],
    registered,
  ])
})

it('returns an override with the base value that it hides, and the base value after the override is removed', async () => {
  const user = await app.createUser()
  const id = await newDevice(user, { site: 'oslo', rack: '1' })
  await set(user, id, { site: 'night', shift: 'late' }, 'night')
  const [overridden, registered] = await timesOf(user, id, 'site')
  expect(await infoOf(user, id, { context: 'night' })).toEqual([
    { name: 'rack', value: '1', setIn: null, base: null, changed: registered },
    { name: 'shift', value: 'late', setIn: 'night', base: null, changed: overridden },
    { name: 'site', value: 'night', setIn: 'night', base: 'oslo', changed: overridden },
  ])
  await set(user, id, { site: null }, 'night')
  expect(await infoOf(user, id, { names: ['site'], context: 'night' })).toEqual([
    { name: 'site', value: 'oslo', setIn: null, base: null, changed: registered },
  ])
})

it('returns null values for names that are not set and for groups, in the order of the names', async () => {
  const user = await app.createUser()
  const id = await newDevice(user, { site: 'oslo', net: { ssid: 'lab' } })
  expect(short(await infoOf(user, id, { names: ['none', 'net', 'net.ssid', '__proto__'] }))).toEqual([
    ['none', null, null, null],
    ['net', null, null, null],
    ['net.ssid', 'lab', null, null],
    ['__proto__', null, null, null],
  ])
})

it('distinguishes the values of services, devices, and the account', async () => {
  const user = await app.createUser()
  const [first, second] = [await newDevice(user, { site: 'oslo' }), await newDevice(user)]
  await set(user, second, { site: 'oslo' })
  const { login } = await user.data('query { login { id services(where: "name = ssh") { items { id } } } }')
  const service = login.services.items[0].id
  await set(user, service, { site: 'oslo' })
  await set(user, login.id, { site: 'oslo' })
  const found = await user.data(
    `query ($ids: [String!]!, $names: [String!], $context: String) { login {
      ${infoFields} device(id: $ids) { ${infoFields} services { id ${infoFields} } } attributeHistory { items { at } } } }`,
    { ids: [first, second] },
  )
  expect(found.login.attributeInfo).toMatchObject([{ name: 'site', changed: found.login.attributeHistory.items[0].at }])
  for (const [index, id] of [first, second].entries()) {
    const times = await timesOf(user, id, 'site')
    expect(found.login.device[index].attributeInfo).toMatchObject([{ name: 'site', changed: times[0] }])
  }
  expect(await infoOf(user, service)).toMatchObject([{ changed: (await timesOf(user, service, 'site'))[0] }])
})

it('keeps the times of values whose events are no longer stored', async () => {
  const user = await app.createUser()
  const id = await newDevice(user, { site: 'oslo' })
  await set(user, id, { rack: '1' })
  const times = [(await timesOf(user, id, 'rack'))[0], (await timesOf(user, id, 'site'))[0]]
  await sql`delete from event where account_id = ${user.accountId}`.execute(app.db)
  expect((await infoOf(user, id)).map(({ changed }) => changed)).toEqual(times)
})

it('returns the time of the event, or else of the upgrade, for a value from a release that did not record times', async () => {
  const user = await app.createUser()
  const id = await newDevice(user, { site: 'oslo' })
  await set(user, id, { rack: '1' })
  const times = [(await timesOf(user, id, 'rack'))[0], (await timesOf(user, id, 'site'))[0]]
  const { rows } = await sql<{ since: Date }>`
    update attribute_times_start set since = statement_timestamp() returning since`.execute(app.db)
  await sql`update device set attribute_times = '{}' where id = ${id}`.execute(app.db)
  expect((await infoOf(user, id)).map(({ changed }) => changed)).toEqual(times)
  await sql`delete from event where account_id = ${user.accountId}`.execute(app.db)
  const since = rows[0]!.since.toISOString()
  expect((await infoOf(user, id)).map(({ changed }) => changed)).toEqual([since, since])
})

it('rejects invalid names and contexts, and more than 200 names', async () => {
  const user = await app.createUser()
  const id = await newDevice(user)
  const query = (args: string) =>
    user.query(`query ($id: String!) { login { device(id: [$id]) { attributeInfo(${args}) { name } } } }`, { id })
  expect((await query('names: ["site", ".x"]')).errors).toMatchObject([
    {
      message: expect.stringMatching(/^names\[1\]: a level of an attribute name/),
      extensions: { code: 'BAD_USER_INPUT' },
    },
  ])
  expect((await query('context: ""')).errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }])
  const many = JSON.stringify(Array.from({ length: 201 }, (_, index) => `n${index}`))
  expect((await query(`names: ${many}`)).errors).toMatchObject([
    {
      message: expect.stringMatching(/at most 200 names, found 201/),
      extensions: { code: 'LIMIT_EXCEEDED', limit: 200 },
    },
  ])
})

it('needs no permission to read events, and returns null for names that the caller cannot read', async () => {
  const user = await app.createUser()
  const id = await newDevice(user, { site: 'oslo', secret: 'hidden' })
  await set(user, id, { secret: 'override' }, 'night')
  const send = sendAsUser(user)
  const reader = await keyOf(app, send, 'access: { permissions: [DEVICE_READ] }')
  expect(short(await infoOf(reader, id, { names: ['secret'] }))).toEqual([['secret', 'hidden', null, null]])
  const limited = await keyOf(app, send, 'access: { attributes: { read: ["site"], write: [] } }')
  expect((await infoOf(limited, id)).map(({ name }) => name)).toEqual(['site'])
  for (const context of [undefined, 'night'])
    expect(await infoOf(limited, id, { names: ['secret'], ...(context !== undefined && { context }) })).toEqual([
      { name: 'secret', value: null, setIn: null, base: null, changed: null },
    ])
  await user.data('mutation { setExpectedInterval(name: "secret", seconds: 60) { name } }')
  const interval = `{ login { service(id: ["${id}"]) { attributeInfo(names: ["secret"]) { expectedInterval isStale } } } }`
  expect((await limited.data(interval)).login.service[0].attributeInfo).toEqual([
    { expectedInterval: null, isStale: false },
  ])
  const writer = await keyOf(app, send, 'access: { permissions: [ATTRIBUTE_WRITE] }')
  const field = '{ login { device(id: ["80:00:00:00:00:00:00:00"]) { attributeInfo { name } } } }'
  expect(failure(await writer.query(field))).toMatchObject({ code: 'FORBIDDEN', reason: 'permission' })
})
