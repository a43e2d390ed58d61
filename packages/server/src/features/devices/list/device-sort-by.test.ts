import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { createUserWithDevices } from '../../../../test/api/device-lists.ts'
import { seedDevices } from '../../../../test/factories/seed-devices.ts'
import { sharedTestApp, type TestUser } from '../../../../test/harness/app.ts'

const app = sharedTestApp()

const document = `query ($sortBy: [String!], $after: ID, $from: Int, $size: Int, $where: String, $context: String) { login {
  devices(sortBy: $sortBy, after: $after, from: $from, size: $size, where: $where, context: $context) {
    items { id name } hasMore cursor last } } }`

const page = async (user: TestUser, variables: Record<string, unknown>) =>
  (await user.data(document, variables)).login.devices as {
    items: { id: string; name: string }[]
    hasMore: boolean
    cursor: string
    last: string
  }

const names = async (user: TestUser, variables: Record<string, unknown>): Promise<string[]> =>
  (await page(user, variables)).items.map(({ name }) => name)

const error = async (user: TestUser, variables: Record<string, unknown>): Promise<[string, string]> => {
  const { errors } = await user.query(document, variables)
  return [errors?.[0]?.extensions.code ?? 'no error', errors?.[0]?.message ?? '']
}

test('sorts by several keys, each in its direction, with missing values last', async () => {
  const { user } = await createUserWithDevices(app, [
    { name: 'a', platform: 'linux', attributes: { rack: '10' }, lastReported: new Date(2000) },
    { name: 'b', platform: 'linux', attributes: { rack: '9' }, lastReported: new Date(1000) },
    { name: 'c', attributes: { rack: '9' } },
    { name: 'd', platform: 'Linux', lastReported: new Date(1000), overrides: { night: { rack: '1' } } },
    { name: 'e' },
  ])
  expect(await names(user, { sortBy: ['platform', 'rack'] })).toEqual(['b', 'a', 'd', 'c', 'e'])
  expect(await names(user, { sortBy: ['platform desc', '-rack'] })).toEqual(['a', 'b', 'd', 'c', 'e'])
  expect(await names(user, { sortBy: ['platform', 'rack'], context: 'night' })).toEqual(['d', 'b', 'a', 'c', 'e'])
  expect(await names(user, { sortBy: ['lastReported', 'name desc'] })).toEqual(['d', 'b', 'a', 'e', 'c'])
  expect(await names(user, { sortBy: ['state', 'id', 'name'] })).toHaveLength(5)
  expect(await names(user, { sortBy: ['-name'] })).toEqual(['e', 'd', 'c', 'b', 'a'])
})

test('lists each existing device exactly once while other devices are inserted', async () => {
  const devices = Array.from({ length: 1_200 }, (_, index) => ({
    name: `n${index % 7}`,
    platform: index % 3 === 0 ? null : `p${index % 2}`,
    attributes: index % 4 === 0 ? {} : { rack: `r${index % 5}` },
    lastReported: index % 5 === 0 ? null : new Date(1_700_000_000_000 + (index % 3)),
  }))
  for (const sortBy of [
    ['platform', 'rack desc', 'name'],
    ['lastReported desc', 'state', 'platform', 'name desc'],
  ]) {
    const { user, ids } = await createUserWithDevices(app, devices)
    const seen: string[] = []
    let after: string | undefined
    for (let number = 0; ; number++) {
      const next = await page(user, { sortBy, after, size: 100 })
      seen.push(...next.items.map(({ id }) => id))
      await seedDevices(app.db, user.accountId, [{ name: `n${number % 7}`, platform: `p${number % 2}` }])
      if (!next.hasMore) break
      // Alternate between a cursor and an ID, because both must continue at the same place.
      after = number % 2 === 0 ? next.cursor : next.last
    }
    expect(new Set(seen).size).toBe(seen.length)
    const before = new Set(ids)
    expect(seen.filter((id) => before.has(id))).toHaveLength(ids.length)
  }
})

test('starts at the position in from, in the order of the whole list', async () => {
  const { user } = await createUserWithDevices(
    app,
    Array.from({ length: 20 }, (_, index) => ({ name: `n${index % 3}`, platform: `p${index % 2}` })),
  )
  const sortBy = ['platform', 'name desc']
  const all = (await page(user, { sortBy })).items
  expect((await page(user, { sortBy, from: 8, size: 3 })).items).toEqual(all.slice(7, 10))
})

test('accepts a cursor with another filter, and rejects a cursor of another sort order', async () => {
  const { user } = await createUserWithDevices(app, [
    { name: 'a', platform: 'x' },
    { name: 'b', platform: 'x' },
    { name: 'c', platform: 'y' },
  ])
  const { cursor } = await page(user, { sortBy: ['platform', 'name'], size: 1 })
  expect(await names(user, { sortBy: ['platform', 'name'], after: cursor, where: 'platform = y' })).toEqual(['c'])
  for (const sortBy of [['name', 'platform'], ['platform', 'name desc'], ['platform']])
    expect((await error(user, { sortBy, after: cursor }))[0]).toBe('BAD_USER_INPUT')
  // `sortBy` with a single name gives the same order as `sort`.
  const one = await page(user, { sortBy: ['name'], size: 1 })
  const { login } = await user.data(
    'query ($after: ID) { login { devices(sort: "name", after: $after) { items { name } } } }',
    {
      after: one.cursor,
    },
  )
  expect(login.devices.items).toEqual([{ name: 'b' }, { name: 'c' }])
})

test('rejects unknown attributes, repeated names, and too many keys', async () => {
  const { user } = await createUserWithDevices(app, [{ name: 'a', attributes: { site: 'x' } }])
  expect(await error(user, { sortBy: ['sitte', 'name'] })).toEqual([
    'BAD_USER_INPUT',
    expect.stringContaining('Did you mean "site"?'),
  ])
  // The field owner is not a sort key, so the message does not suggest it.
  expect((await error(user, { sortBy: ['ownr'] }))[1]).toMatch(/Unknown attribute "ownr"\. To use a name/)
  expect((await error(user, { sortBy: ['name', 'name desc'] }))[1]).toContain('"name" twice')
  expect((await error(user, { sortBy: [] }))[0]).toBe('BAD_USER_INPUT')
  expect((await error(user, { sortBy: ['name', 'id', 'state', 'created', 'platform'] }))[1]).toContain('1 to 4')
})

test('rejects names by which a list cannot sort, unless they are attributes', async () => {
  const { user } = await createUserWithDevices(app, [{ name: 'a', statusA: 'up' }, { name: 'b' }])
  for (const name of ['statusA', 'services', 'services.port', '$svc', 'owner'])
    expect((await error(user, { sortBy: [name] }))[1]).toContain(`${name} is not a sort key`)
  expect((await error(user, { sortBy: ['statusA desc'] }))[1]).toContain('Did you mean $svc.statusA?')
  expect(await names(user, { sortBy: ['$svc.statusA', '$svc.categoryB'] })).toEqual(['a', 'b'])
  const document = 'query ($sortBy: [String!]) { login { services(sortBy: $sortBy) { items { id } } } }'
  for (const name of ['device.$svc.statusA', 'device.id', '$svc.statusA'])
    expect((await user.query(document, { sortBy: [name] })).errors?.[0]?.message).toContain(`${name} is not a sort key`)
})

test('sorts by an attribute with the short name of a reserved attribute', async () => {
  const { user } = await createUserWithDevices(app, [
    { name: 'a', statusA: '1', attributes: { statusA: 'y', services: { port: '1' } } },
    { name: 'b', statusA: '2', attributes: { statusA: 'x', services: { port: '2' } } },
  ])
  expect(await names(user, { sortBy: ['statusA'] })).toEqual(['b', 'a'])
  expect(await names(user, { sortBy: ['attributes.statusA'] })).toEqual(['b', 'a'])
  expect(await names(user, { sortBy: ['services.port desc'] })).toEqual(['b', 'a'])
})

test('lists each device once if all pages of a filter with a relative time have the same `now`', async () => {
  const start = new Date('2026-11-20T12:00:00Z')
  const { user, ids } = await createUserWithDevices(
    app,
    Array.from({ length: 30 }, (_, index) => ({
      name: `n${index}`,
      lastReported: new Date(start.getTime() - 86_400_000 - index),
    })),
  )
  const loop = `query ($after: ID, $now: DateTime) { login {
    devices(where: "lastReported < -1d", now: $now, after: $after, size: 10) { items { id } hasMore cursor } } }`
  const seen: string[] = []
  let after: string | undefined
  for (;;) {
    const { login } = await user.data(loop, { after, now: '2026-11-20T12:00:00.001Z' })
    seen.push(...login.devices.items.map(({ id }: { id: string }) => id))
    if (!login.devices.hasMore) break
    after = login.devices.cursor
    await sql`select pg_sleep(0.01)`.execute(app.db)
  }
  expect(seen.toSorted()).toEqual(ids.toSorted())
})
