import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { attributeClient } from '../../../../test/api/attributes.ts'
import { seedDevices } from '../../../../test/factories/seed-devices.ts'
import { sharedTestApp, type TestUser } from '../../../../test/harness/app.ts'
import { limits } from '../../../limits.ts'
import { EXACT_DEVICES } from './list-attribute-names.ts'

const app = sharedTestApp()

const document = '{ login { attributeNames { name devices services } } }'

async function namesOf(user: TestUser): Promise<[string, number, number][]> {
  const { login } = await user.data(document)
  return login.attributeNames.map((each: { name: string; devices: number; services: number }) => [
    each.name,
    each.devices,
    each.services,
  ])
}

async function lastChangeOf(user: TestUser, name: string): Promise<string | null> {
  const { login } = await user.data('{ login { attributeNames { name lastChanged } } }')
  return login.attributeNames.find((each: { name: string }) => each.name === name).lastChanged
}

async function createLargeUser(): Promise<{ user: TestUser; ids: string[] }> {
  const user = await app.createUser()
  const devices = Array.from({ length: EXACT_DEVICES + 1 }, () => ({ attributes: { site: 'oslo' } }))
  return { user, ids: await seedDevices(app.db, user.accountId, devices) }
}

const waitSeconds = ({ accountId }: TestUser, seconds: number) =>
  sql`update attribute_name_summary set counted = least(counted, ${new Date(Date.now() - seconds * 1_000)}::timestamptz)
    where account_id = ${accountId}`.execute(app.db)

/** Calls `act` while a lock prevents the server from saving a count. */
const whileSummaryIsLocked = ({ accountId }: TestUser, act: () => Promise<void>) =>
  app.db.transaction().execute(async (transaction) => {
    await sql`select from attribute_name_summary where account_id = ${accountId} for update`.execute(transaction)
    await act()
  })

test('updates the counts of a small account after each change', async () => {
  const user = await app.createUser()
  const own = attributeClient(user)
  expect(await namesOf(user)).toEqual([])
  const id = await own.addDevice({ site: 'oslo' })
  expect(await namesOf(user)).toEqual([['site', 1, 0]])
  const serviceId = await own.addService(id)
  await own.set('net.ssid', 'lab', serviceId, 'night')
  expect(await namesOf(user)).toEqual([
    ['net.ssid', 0, 1],
    ['site', 1, 0],
  ])
  await own.set('site', null, id)
  expect(await namesOf(user)).toEqual([['net.ssid', 0, 1]])
  await user.data('mutation ($id: ID!) { removeService(id: $id) }', { id: serviceId })
  expect(await namesOf(user)).toEqual([])
})

test('stops counting a deleted device', async () => {
  const user = await app.createUser()
  const own = attributeClient(user)
  const id = await own.addDevice({ site: 'oslo' })
  await own.addDevice({ site: 'oslo', rack: '1' })
  await namesOf(user)
  await user.data('mutation ($id: String!) { deleteDevice(deviceId: $id) }', { id })
  expect(await namesOf(user)).toEqual([
    ['rack', 1, 0],
    ['site', 1, 0],
  ])
})

test('lists a new name of a large account immediately with an exact count', async () => {
  const { user, ids } = await createLargeUser()
  const own = attributeClient(user)
  expect(await namesOf(user)).toEqual([['site', ids.length, 0]])
  await own.set('rack', '1', ids[0]!)
  await own.set('rack', '2', ids[0]!, 'night')
  await own.set('rack', '1', ids[1]!, 'night')
  await own.set('gone', '1', ids[1]!)
  await own.set('gone', null, ids[1]!)
  await own.set('$svc.statusA', 'up', ids[2]!)
  await own.addDevice({ net: { ssid: 'lab' } })
  expect(await namesOf(user)).toEqual([
    ['$svc.statusA', 1, 0],
    ['net.ssid', 1, 0],
    ['rack', 2, 0],
    ['site', ids.length, 0],
  ])
})

test('lists the most used names if a new name exceeds the maximum number of names', async () => {
  const { user, ids } = await createLargeUser()
  await namesOf(user)
  await sql`insert into attribute_name (account_id, name, devices, services)
    select ${user.accountId}, 'n' || i, 1, 0 from generate_series(2, ${sql.lit(limits.attributeNames)}) as i`.execute(
    app.db,
  )
  const own = attributeClient(user)
  await own.set('zone', '1', ids[0]!)
  await own.set('zone', '1', ids[1]!)
  const names = await namesOf(user)
  expect(names).toHaveLength(limits.attributeNames)
  expect(names.at(-1)).toEqual(['zone', 2, 0])
})

test('counts the names of a large account again after a minute, without making a request wait', async () => {
  const { user, ids } = await createLargeUser()
  const own = attributeClient(user)
  await namesOf(user)
  await own.set('site', null, ids[0]!)
  await own.set('rack', '1', ids[0]!)
  const before = [
    ['rack', 1, 0],
    ['site', ids.length, 0],
  ]
  expect(await namesOf(user)).toEqual(before)
  await waitSeconds(user, 61)
  await whileSummaryIsLocked(user, async () => {
    expect([await namesOf(user), await namesOf(user)]).toEqual([before, before])
  })
  await expect
    .poll(() => namesOf(user))
    .toEqual([
      ['rack', 1, 0],
      ['site', ids.length - 1, 0],
    ])
})

test('accepts every name in filters while the names of a large account are counted for the first time', async () => {
  const { user, ids } = await createLargeUser()
  const found = async (where: string): Promise<number> =>
    (await user.data('query ($where: String) { login { devices(where: $where) { total } } }', { where })).login.devices
      .total
  const completions = async () =>
    (await user.data('{ login { checkFilter(where: "si", cursor: 2) { completions { text } } } }')).login.checkFilter
      .completions
  await app.db.transaction().execute(async (transaction) => {
    await sql`lock table attribute_name_summary in share mode`.execute(transaction)
    const listed = user.query(document)
    expect([await found('site = oslo'), await found('site = rome'), await found('sitr = oslo')]).toEqual([
      ids.length,
      0,
      0,
    ])
    expect(await completions()).not.toContainEqual({ text: 'site' })
    expect((await listed).errors).toMatchObject([{ extensions: { code: 'UNAVAILABLE', retryAfter: 10 } }])
  })
  await expect.poll(completions).toContainEqual({ text: 'site' })
  expect((await user.query('{ login { devices(where: "sitr = oslo") { total } } }')).errors![0]!.message).toContain(
    'Suggestion: site',
  )
})

test('waits for a new count of a large account if its counts are more than a day old', async () => {
  const { user, ids } = await createLargeUser()
  await namesOf(user)
  await attributeClient(user).set('site', null, ids[0]!)
  await waitSeconds(user, 86_401)
  expect(await namesOf(user)).toEqual([['site', ids.length - 1, 0]])
})

test('lists when a name of a large account last changed', async () => {
  const { user, ids } = await createLargeUser()
  const own = attributeClient(user)
  expect(await lastChangeOf(user, 'site')).toBe(null)
  await own.set('site', 'bergen', ids[0]!)
  const changed = await lastChangeOf(user, 'site')
  expect(changed).toMatch(/^\d{4}-/)
  await waitSeconds(user, 60)
  expect(await lastChangeOf(user, 'site')).toBe(changed)
})

test('returns the same names to concurrent requests that need a count', async () => {
  const { user, ids } = await createLargeUser()
  const own = attributeClient(user)
  await namesOf(user)
  await own.set('rack', '1', ids[0]!)
  await waitSeconds(user, 60)
  const lists = await Promise.all(Array.from({ length: 8 }, () => namesOf(user)))
  for (const names of lists) {
    expect(names).toEqual([
      ['rack', 1, 0],
      ['site', ids.length, 0],
    ])
  }
})

test('lists the same names on two server processes', async () => {
  const { user, ids } = await createLargeUser()
  const another = await app.startAnother()
  try {
    const onOtherServer = another.as(user)
    await namesOf(user)
    await attributeClient(onOtherServer).set('rack', '1', ids[0]!)
    const expected = [
      ['rack', 1, 0],
      ['site', ids.length, 0],
    ]
    expect([await namesOf(user), await namesOf(onOtherServer)]).toEqual([expected, expected])
    await waitSeconds(user, 60)
    expect(await Promise.all([namesOf(user), namesOf(onOtherServer)])).toEqual([expected, expected])
  } finally {
    await another.close()
  }
})

test('lists names for a read-only key', async () => {
  const user = await app.createUser()
  await attributeClient(user).addDevice({ site: 'oslo' })
  await sql`update access_key set read_only = true where account_id = ${user.accountId}`.execute(app.db)
  expect(await namesOf(user)).toEqual([['site', 1, 0]])
})

test('accepts names that JavaScript objects use for properties', async () => {
  const user = await app.createUser()
  const own = attributeClient(user)
  const id = await own.addDevice()
  await namesOf(user)
  await own.set('__proto__', 'x', id)
  await own.set('constructor', 'x', id)
  expect(await namesOf(user)).toEqual([
    ['__proto__', 1, 0],
    ['constructor', 1, 0],
  ])
  expect(await lastChangeOf(user, '__proto__')).toMatch(/^\d{4}-/)
})

test("does not list another user's names", async () => {
  const user = await app.createUser()
  const other = await app.createUser()
  await attributeClient(other).addDevice({ theirs: 'x' })
  await attributeClient(user).addDevice({ mine: 'x' })
  expect([await namesOf(user), await namesOf(other)]).toEqual([[['mine', 1, 0]], [['theirs', 1, 0]]])
})
