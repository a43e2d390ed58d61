import { describe, expect, it } from 'vitest'
import { newKey } from '../../../test/access/callers.ts'
import {
  asMember,
  failure,
  keyOf,
  NOTIFIED,
  readDevices,
  readWebhooks,
  sendAsUser,
} from '../../../test/factories/keys.ts'
import { newMember } from '../../../test/factories/member.ts'
import { sharedTestApp, type TestUser, testUser } from '../../../test/harness/app.ts'
import { query } from '../../db/database.ts'
import { namesIn, usualKeyPermissions } from '../../permissions.ts'

const app = sharedTestApp()

describe('a new key', () => {
  it('can do what its permissions allow, and nothing else', async () => {
    const user = await app.createUser()
    const key = await keyOf(app, sendAsUser(user), 'access: { permissions: [DEVICE_READ] }')
    expect(key.accessKey).toMatchObject({
      kind: 'account',
      permissions: ['DEVICE_READ'],
      suspended: null,
      createdBy: { kind: 'accessKey', user: { id: user.accountId } },
    })
    expect((await key.data(readDevices)).login.devices.total).toBe(0)
    expect(await key.data('{ me { grant { permissions } accessKey { key } } }')).toEqual({
      me: { grant: { permissions: ['DEVICE_READ'] }, accessKey: { key: key.keyId } },
    })
    expect(failure(await key.query(readWebhooks))).toEqual({
      code: 'FORBIDDEN',
      reason: 'permission',
      missing: [{ field: 'User.webhooks', permission: 'WEBHOOK_MANAGE' }],
    })
  })

  it('has the usual permissions if the request names none', async () => {
    const { accessKey } = await keyOf(app, sendAsUser(await app.createUser()), 'name: "usual"')
    expect(accessKey.permissions).toEqual(namesIn(usualKeyPermissions))
  })

  it('is unknown to servers of the previous release if it has limits, which they cannot enforce', async () => {
    const user = await app.createUser()
    const send = sendAsUser(user)
    const restricted = [
      await keyOf(app, send, 'access: { permissions: [DEVICE_READ] }'),
      await keyOf(app, send, 'personal: true'),
      await keyOf(app, send, 'networks: ["127.0.0.1"]'),
      await keyOf(app, send, 'rateShare: 50'),
    ]
    const usual = await keyOf(app, send, 'name: "usual"')
    const keys = [...restricted, usual].map(({ keyId }) => keyId)
    // Run the statement that the previous release uses to find a key.
    const found = await query<{ key: string }>(
      app.db,
      `select key, account_id, email, enabled, read_only, require_digest, encrypted_secret, public_key, expires
       from access_key join account on account.id = account_id where key = any($1)`,
      [keys],
    )
    expect(found.map(({ key }) => key)).toEqual([usual.keyId])
  })

  it('becomes unknown to the previous release when it loses permissions, and keeps working', async () => {
    const user = await app.createUser()
    const key = await keyOf(app, sendAsUser(user), 'name: "wide"')
    const update = (args: string) =>
      user.query(`mutation { updateAccessKey(key: "${key.keyId}", ${args}) { permissions networks expires name } }`)
    const { data } = await update('access: { permissions: [DEVICE_READ, KEY_OWN] }')
    expect(data?.updateAccessKey).toMatchObject({ permissions: ['DEVICE_READ', 'KEY_OWN'] })
    await expect.poll(async () => failure(await key.query(readWebhooks)).reason, NOTIFIED).toBe('permission')
    expect((await key.data(readDevices)).login.devices.total).toBe(0)
    const rows = await app.db.selectFrom('access_key').select('key').where('key', '=', key.keyId).execute()
    expect(rows).toEqual([])
    const { login } = await user.data('{ login { events(size: 1) { items { type data } } } }')
    expect(login.events.items[0]).toMatchObject({
      type: 'ACCESS_KEY_UPDATE',
      data: { changes: { permissions: { new: ['DEVICE_READ', 'KEY_OWN'] } } },
    })

    const more = await update('access: { permissions: [DEVICE_READ, DEVICE_WRITE] }')
    expect(failure(more).code).toBe('BAD_USER_INPUT')
    expect(more.errors?.[0]?.message).toContain('the key does not have the permission DEVICE_WRITE')
    expect((await update('expires: "2100-01-01T00:00:00Z"')).errors).toBeUndefined()
    for (const expires of ['null', '"2100-01-01T00:00:01Z"', '"2020-01-01T00:00:00Z"'])
      expect(failure(await update(`expires: ${expires}`)).code).toBe('BAD_USER_INPUT')
    expect((await update('expires: "2099-01-01T00:00:00Z"')).errors).toBeUndefined()
  })
})

describe('a caller that gives permissions to a key', () => {
  it('cannot give more permissions than it has to a new key or to a key that it enables', async () => {
    const user = await app.createUser()
    const creator = await keyOf(app, sendAsUser(user), 'access: { permissions: [DEVICE_READ, KEY_MANAGE] }')
    const exceeds = { code: 'FORBIDDEN', reason: 'exceeds-own-access' }
    const create = (args: string) =>
      creator.query(`mutation { createAccessKey(${args}) { key accessKey { permissions } } }`)
    expect(failure(await create('access: { permissions: [DEVICE_READ, DEVICE_WRITE] }'))).toEqual(exceeds)
    expect((await create('name: "less"')).data?.createAccessKey).toMatchObject({
      accessKey: { permissions: ['DEVICE_READ', 'KEY_MANAGE'] },
    })
    const strong = await newKey(user)
    await user.data(`mutation { updateAccessKey(key: "${strong.key}", enabled: false) { key } }`)
    const enable = `mutation { updateAccessKey(key: "${strong.key}", enabled: true) { key } }`
    expect(failure(await creator.query(enable))).toEqual(exceeds)

    const existing = testUser(app.url, { ...user, ...(await usualKey(user)) })
    const role = await existing.query('mutation { createAccessKey(access: { permissions: [MEMBER_MANAGE] }) { key } }')
    expect(failure(role)).toEqual(exceeds)
  })

  async function usualKey(user: TestUser): Promise<{ keyId: string; secret: string }> {
    const { keyId, secret } = await keyOf(app, sendAsUser(user), 'name: "usual"')
    return { keyId, secret }
  }
})

describe('an account key without KEY_MANAGE', () => {
  it('lists personal keys of its creator if it is unrestricted, and cannot list or change them otherwise', async () => {
    const user = await app.createUser()
    const send = sendAsUser(user)
    const personal = await keyOf(app, send, 'personal: true')
    const list = async (key: TestUser) => (await key.data('{ login { accessKeys { key } } }')).login.accessKeys
    const oslo = await keyOf(app, send, 'access: { where: "attributes.site = oslo" }')
    expect(await list(oslo)).toEqual([])
    for (const mutation of [
      `updateAccessKey(key: "${personal.keyId}", enabled: false) { key }`,
      `rotateAccessKey(key: "${personal.keyId}") { key }`,
      `deleteAccessKey(key: "${personal.keyId}")`,
    ])
      expect(failure(await oslo.query(`mutation { ${mutation} }`)), mutation).toEqual({ code: 'NOT_FOUND' })
    const unrestricted = await keyOf(app, send, 'access: { permissions: [KEY_OWN] }')
    expect(await list(unrestricted)).toEqual([{ key: personal.keyId }])
  })
})

describe('the limit on keys', () => {
  it('applies to each person who creates keys', async () => {
    const user = await app.createUser()
    const admin = asMember(app, await newMember(app, user.accountId, 'admin'))
    for (let count = 0; count < 10; count++) await keyOf(app, admin, 'name: "x"')
    expect(failure(await admin('mutation { createAccessKey { key } }')).code).toBe('LIMIT_EXCEEDED')
    await keyOf(app, sendAsUser(user), 'name: "of another person"')
    const { login } = await user.data('{ login { limits { name value used } } }')
    expect(login.limits).toContainEqual({ name: 'accessKeys', value: 10, used: 2 })
    expect(login.limits).toContainEqual({ name: 'accountAccessKeys', value: 200, used: 12 })
  })
})
