import { beforeEach, describe, expect, it } from 'vitest'
import { asMember, failure, keyOf, NOTIFIED, readDevices, sendAsUser } from '../../../test/factories/keys.ts'
import { newMember } from '../../../test/factories/member.ts'
import { sharedTestApp, type TestUser, testUser } from '../../../test/harness/app.ts'

let now = new Date()
const app = sharedTestApp({ clock: () => now })
// Request signatures contain the actual time, which may differ from the server's clock by at most five minutes.
beforeEach(() => {
  now = new Date()
})

const rotate = (user: TestUser, key: string, args = '') =>
  user.query(`mutation { rotateAccessKey(key: "${key}"${args}) {
    key secret accessKey { name kind permissions networks rateShare readOnly requireDigest expires replacedBy } } }`)

const listed = async (user: TestUser) =>
  (await user.data('{ login { accessKeys { key expires replacedBy } } }')).login.accessKeys

describe('rotating a key', () => {
  it('creates a key with the same access, and ends the old key at the requested time', async () => {
    const user = await app.createUser()
    const former = await keyOf(
      app,
      sendAsUser(user),
      'name: "job", access: { permissions: [DEVICE_READ] }, networks: ["127.0.0.0/8"], rateShare: 50, requireDigest: true',
    )
    const { data } = await rotate(user, former.keyId, ', overlap: 60')
    const { key: keyId, secret, accessKey } = data!.rotateAccessKey
    expect(accessKey).toEqual({
      ...{ name: 'job', kind: 'account', permissions: ['DEVICE_READ'], networks: ['127.0.0.0/8'], rateShare: 50 },
      ...{ readOnly: false, requireDigest: true, expires: null, replacedBy: null },
    })
    const key = testUser(app.url, { ...user, keyId, secret })
    await key.data(readDevices)
    await former.data(readDevices)
    const end = new Date(now.getTime() + 60_000)
    expect(await listed(user)).toContainEqual({
      key: former.keyId,
      expires: end.toISOString(),
      replacedBy: keyId,
    })
    expect(failure(await rotate(user, former.keyId))).toEqual({ code: 'CONFLICT' })
    const before = now
    now = new Date(end.getTime() - 1)
    await expect.poll(async () => (await former.query(readDevices)).status, NOTIFIED).toBe(200)
    now = end
    expect(failure(await former.query(readDevices))).toEqual({ code: 'UNAUTHENTICATED', reason: 'key-expired' })
    await key.data(readDevices)
    now = before
  })

  it('succeeds even at the limit of 10 keys', async () => {
    const user = await app.createUser()
    const keys = []
    for (let count = 1; count < 10; count++) keys.push(await keyOf(app, sendAsUser(user), 'name: "x"'))
    expect((await rotate(user, keys[0]!.keyId)).errors).toBeUndefined()
    const { errors } = await user.query('mutation { createAccessKey { key } }')
    expect(errors?.[0]?.extensions.code).toBe('LIMIT_EXCEEDED')
  })

  it('counts the predecessor of the rotated key again, or deletes it if it has expired', async () => {
    const user = await app.createUser()
    const first = await keyOf(app, sendAsUser(user), 'name: "first"')
    for (let count = 2; count < 10; count++) await keyOf(app, sendAsUser(user), 'name: "x"')
    const keyIdOf = async (response: ReturnType<typeof rotate>): Promise<string> =>
      (await response).data!.rotateAccessKey.key
    const second = await keyIdOf(rotate(user, first.keyId, ', overlap: 60'))
    expect(failure(await rotate(user, second))).toEqual({ code: 'LIMIT_EXCEEDED' })
    const before = now
    now = new Date(now.getTime() + 60_000)
    const third = await keyIdOf(rotate(user, second, ', overlap: 60'))
    now = before
    const keys = (await listed(user)).map(({ key }: { key: string }) => key)
    expect(keys).toEqual(expect.arrayContaining([second, third]))
    expect(keys).not.toContain(first.keyId)
    const { login } = await user.data('{ login { events(size: 3) { items { type target { id } } } } }')
    expect(login.events.items).toEqual([
      { type: 'ACCESS_KEY_UPDATE', target: [{ id: second }] },
      { type: 'ACCESS_KEY_CREATE', target: [{ id: third }] },
      { type: 'ACCESS_KEY_DELETE', target: [{ id: first.keyId }] },
    ])
  })

  it('is rejected for an expired key', async () => {
    const user = await app.createUser()
    const expires = new Date(now.getTime() + 30_000)
    const key = await keyOf(app, sendAsUser(user), `expires: "${expires.toISOString()}"`)
    const before = now
    now = expires
    const { errors } = await rotate(user, key.keyId)
    now = before
    expect(errors?.[0]).toMatchObject({
      extensions: { code: 'CONFLICT' },
      message: expect.stringMatching(/has expired/),
    })
  })

  it('does not extend the expiry of either key', async () => {
    const user = await app.createUser()
    const expires = new Date(now.getTime() + 30_000).toISOString()
    const former = await keyOf(app, sendAsUser(user), `expires: "${expires}"`)
    const { data } = await rotate(user, former.keyId)
    expect(data?.rotateAccessKey.accessKey.expires).toBe(expires)
    expect(await listed(user)).toContainEqual(expect.objectContaining({ key: former.keyId, expires }))
  })

  it("gives no more access than the caller has, and rejects another person's personal key", async () => {
    const user = await app.createUser()
    const weak = await keyOf(app, sendAsUser(user), 'access: { permissions: [KEY_MANAGE] }')
    const exceeds = { code: 'FORBIDDEN', reason: 'exceeds-own-access' }
    expect(failure(await rotate(weak, user.keyId))).toEqual(exceeds)
    const member = asMember(app, await newMember(app, user.accountId, 'viewer'))
    const personal = await keyOf(app, member, 'personal: true')
    expect(failure(await rotate(user, personal.keyId))).toEqual(exceeds)
    const own = await member(`mutation { rotateAccessKey(key: "${personal.keyId}") { accessKey { kind } } }`)
    expect(own.data).toEqual({ rotateAccessKey: { accessKey: { kind: 'personal' } } })
    expect(failure(await member(`mutation { rotateAccessKey(key: "${user.keyId}") { key } }`))).toEqual({
      code: 'NOT_FOUND',
    })
  })

  it('is possible with a restricted personal key for itself, but not for a key with weaker restrictions', async () => {
    const user = await app.createUser()
    const { createRole: role } = await user.data(
      'mutation { createRole(name: "Oslo", access: { where: "attributes.site = oslo", permissions: [DEVICE_READ, KEY_OWN] }) { id } }',
    )
    const member = asMember(app, await newMember(app, user.accountId, role.id))
    const wide = await keyOf(app, member, 'personal: true')
    const former = await keyOf(
      app,
      member,
      'personal: true, access: { where: "name = a", attributes: { write: ["x"] } }',
    )
    const replaced = await former.query(`mutation { rotateAccessKey(key: "${former.keyId}") { key secret } }`)
    expect(replaced.errors).toBeUndefined()
    const { key: keyId, secret } = replaced.data!.rotateAccessKey
    const key = testUser(app.url, { ...user, keyId, secret })
    const grantOf = async (each: TestUser) =>
      (await each.data('{ me { grant { permissions where attributes { read write } } } }')).me.grant
    expect(await grantOf(key)).toEqual(await grantOf(former))
    expect(failure(await rotate(key, wide.keyId))).toEqual({ code: 'FORBIDDEN', reason: 'exceeds-own-access' })
    const document = `mutation { rotateAccessKey(key: "${wide.keyId}") { accessKey { where } } }`
    expect((await member(document)).data.rotateAccessKey.accessKey).toEqual({ where: 'base(attributes.site) = oslo' })
  })

  it.each([-1, 2_592_001])('rejects an overlap of %i seconds', async (overlap) => {
    const user = await app.createUser()
    expect(failure(await rotate(user, user.keyId, `, overlap: ${overlap}`))).toEqual({ code: 'BAD_USER_INPUT' })
  })
})
