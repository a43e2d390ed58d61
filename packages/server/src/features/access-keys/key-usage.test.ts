import { describe, expect, it } from 'vitest'
import { failure, type Json, keyOf, sendAsUser } from '../../../test/factories/keys.ts'
import { sharedTestApp, type TestUser } from '../../../test/harness/app.ts'

const app = sharedTestApp()

const DAY_MS = 86_400_000

/** Runs requests on another server, which writes its counts when it closes. */
async function onServer(
  key: TestUser,
  run: (key: TestUser) => Promise<unknown>,
  clock: () => Date = () => new Date(),
): Promise<void> {
  const server = await app.startAnother({ clock })
  try {
    await run(server.as(key))
  } finally {
    await server.close()
  }
}

const usageOf = async (user: TestUser, key: TestUser, args = ''): Promise<Json> =>
  (
    await user.data(
      `{ login { accessKeys(key: ["${key.keyId}", "unknown"]) {
        key usage${args} { field permission uses rejected lastUsed } unused${args} } } }`,
    )
  ).login.accessKeys

async function age(user: TestUser, key: TestUser): Promise<void> {
  const created = new Date(Date.now() - 200 * DAY_MS)
  for (const table of ['access_key', 'restricted_key'] as const)
    await app.db.updateTable(table).set({ created }).where('key', '=', key.keyId).execute()
  await app.db.updateTable('account').set({ key_use_since: created }).where('id', '=', user.accountId).execute()
}

describe('the usage of a key', () => {
  it('counts the uses of fields that need a permission, and counts rejected attempts separately', async () => {
    const user = await app.createUser()
    const key = await keyOf(app, sendAsUser(user), 'access: { permissions: [DEVICE_READ, EVENT_READ, KEY_OWN] }')
    const start = new Date()
    await onServer(key, async (caller) => {
      for (let use = 1; use <= 3; use++) await caller.data('{ login { id devices { total } } }')
      await caller.data('{ login { created devices { total } } }')
      await caller.data('{ login { accessKeys { key } } }')
      await caller.query('{ login { webhooks { id } devices { total } } }')
    })
    const [{ usage }, ...others] = await usageOf(user, key)
    expect(others).toEqual([])
    const byField = Object.fromEntries(usage.map(({ field, lastUsed, ...use }: Json) => [field, use]))
    expect(byField).toEqual({
      'User.devices': { permission: 'DEVICE_READ', uses: 4, rejected: 0 },
      // The key has only one of the permissions that the field accepts.
      'User.accessKeys': { permission: 'KEY_OWN', uses: 1, rejected: 0 },
      'User.webhooks': { permission: 'WEBHOOK_MANAGE', uses: 0, rejected: 1 },
    })
    for (const { field, lastUsed } of usage) {
      if (field === 'User.webhooks') expect(lastUsed).toBeNull()
      else {
        expect(new Date(lastUsed).getTime() % 60_000).toBe(0)
        expect(new Date(lastUsed).getTime()).toBeGreaterThan(start.getTime() - 60_001)
      }
    }
  })

  it('adds the counts of several servers, and omits counts that are older than the given number of days', async () => {
    const user = await app.createUser()
    const key = await keyOf(app, sendAsUser(user), 'access: { permissions: [DEVICE_READ, EVENT_READ] }')
    const read = (caller: TestUser) => caller.data('{ login { devices { total } } }')
    const stream = (caller: TestUser) => caller.data('{ login { events { total } } }')
    await Promise.all([onServer(key, read), onServer(key, read)])
    const [first] = await usageOf(user, key)
    expect(first.usage).toMatchObject([{ field: 'User.devices', uses: 2 }])
    // Move the counts of the next request 100 days into the past.
    await onServer(key, stream)
    const day = new Date(Math.floor(Date.now() / DAY_MS) * DAY_MS - 100 * DAY_MS)
    await app.db
      .updateTable('key_use')
      .set({ day })
      .where('key', '=', key.keyId)
      .where('field', '=', 'User.events')
      .execute()
    const fields = async (args: string): Promise<string[]> =>
      (await usageOf(user, key, args))[0].usage.map(({ field }: Json) => field).sort()
    expect(await fields('')).toEqual(['User.devices'])
    expect(await fields('(days: 101)')).toEqual(['User.devices', 'User.events'])
  })

  it('lists unused permissions of keys whose uses were counted for long enough', async () => {
    const user = await app.createUser()
    const key = await keyOf(app, sendAsUser(user), 'access: { permissions: [DEVICE_READ, EVENT_READ, DEVICE_WRITE] }')
    await onServer(key, async (caller) => {
      await caller.data('{ login { devices { total } } }')
      await caller.query('mutation { updateDevice(deviceId: "80:00:00:00:00:00:00:01", name: "x") { id } }')
    })
    expect((await usageOf(user, key))[0].unused).toBeNull()
    await age(user, key)
    expect((await usageOf(user, key))[0].unused).toEqual(['EVENT_READ'])
    await app.db.updateTable('account').set({ key_use_since: new Date() }).where('id', '=', user.accountId).execute()
    expect((await usageOf(user, key))[0].unused).toBeNull()
  })

  it('counts setAttribute as rejected if the key cannot set the attribute', async () => {
    const user = await app.createUser()
    const { registerDevice } = await user.data('mutation { registerDevice(name: "one") { device { id } } }')
    const key = await keyOf(app, sendAsUser(user), 'access: { attributes: { read: ["site"], write: [] } }')
    await onServer(key, async (caller) => {
      const set = `setAttribute(serviceId: "${registerDevice.device.id}", name: "site", value: "x")`
      expect(failure(await caller.query(`mutation { renamed: ${set} }`))).toMatchObject({ reason: 'attribute' })
    })
    expect((await usageOf(user, key))[0].usage).toMatchObject([
      { field: 'Mutation.setAttribute', permission: 'ATTRIBUTE_WRITE', uses: 0, rejected: 1, lastUsed: null },
    ])
  })

  it('counts a rejected field by its type and name, regardless of aliases and of other types', async () => {
    const user = await app.createUser()
    await user.data('mutation { registerDevice(name: "one", attributes: { site: "oslo" }) { device { id } } }')
    const key = await keyOf(app, sendAsUser(user), 'access: { attributes: { read: ["site"], write: [] } }')
    const rejected = 'events(where: "device.secret = x") { total }'
    await onServer(key, async (caller) => {
      for (const fields of [
        `devices: ${rejected} list: devices { total }`,
        `${rejected} devices { items { events { total } } }`,
      ])
        expect(failure(await caller.query(`{ login { ${fields} } }`))).toMatchObject({ reason: 'attribute' })
    })
    const [{ usage }] = await usageOf(user, key)
    const byField = Object.fromEntries(usage.map(({ field, uses, rejected }: Json) => [field, { uses, rejected }]))
    expect(byField).toEqual({
      'Device.events': { uses: 1, rejected: 0 },
      'User.devices': { uses: 2, rejected: 0 },
      'User.events': { uses: 0, rejected: 2 },
    })
  })

  it('is deleted with the key, and cannot be requested for fewer than 1 or more than 400 days', async () => {
    const user = await app.createUser()
    const key = await keyOf(app, sendAsUser(user), 'access: { permissions: [DEVICE_READ] }')
    await onServer(key, (caller) => caller.data('{ login { devices { total } } }'))
    for (const days of [0, 401])
      expect(failure(await user.query(`{ login { accessKeys { usage(days: ${days}) { field } } } }`))).toBeDefined()
    expect(failure(await user.query(`{ login { accessKeys { unused(days: 401) } } }`))).toEqual({
      code: 'BAD_USER_INPUT',
    })
    await user.data(`mutation { deleteAccessKey(key: "${key.keyId}") }`)
    expect(await app.db.selectFrom('key_use').select('key').where('key', '=', key.keyId).execute()).toEqual([])
  })
})
