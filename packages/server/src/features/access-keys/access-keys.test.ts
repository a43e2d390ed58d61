import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { NOTIFIED } from '../../../test/factories/keys.ts'
import { sharedTestApp, type TestUser } from '../../../test/harness/app.ts'
import { sendAs } from '../../../test/harness/server-process.ts'
import { namesIn, usualKeyPermissions } from '../../permissions.ts'

const app = sharedTestApp()

const fields = 'key name enabled readOnly requireDigest algorithm created lastUsed expires'

const create = `mutation ($name: String, $readOnly: Boolean! = false, $requireDigest: Boolean! = false, $expires: DateTime, $publicKey: String) {
  createAccessKey(name: $name, readOnly: $readOnly, requireDigest: $requireDigest, expires: $expires, publicKey: $publicKey) {
    key secret accessKey { ${fields} }
  }
}`

const update = `mutation ($key: String!, $name: String, $enabled: Boolean) {
  updateAccessKey(key: $key, name: $name, enabled: $enabled) { ${fields} }
}`

const rename = `mutation ($key: String!, $name: String) { updateAccessKey(key: $key, name: $name) { ${fields} } }`

const remove = 'mutation ($key: String!) { deleteAccessKey(key: $key) }'

const list = `{ login { accessKeys { ${fields} } } }`

const eventsOf = (user: TestUser) =>
  app.db
    .selectFrom('event')
    .select(['type', 'targets', 'data', 'actor_id'])
    .where('account_id', '=', user.accountId)
    .orderBy('id', 'desc')
    .execute()

const codeOf = (response: { errors: { extensions: { code: string } }[] | undefined }) =>
  response.errors?.[0]?.extensions.code

describe('creating an access key', () => {
  it('returns the secret and adds the key to the list', async () => {
    const user = await app.createUser()
    const { createAccessKey: created } = await user.data(create, { name: 'laptop' })
    expect(created.key).toMatch(/^[A-Za-z0-9_-]{8,128}$/)
    expect(Buffer.from(created.secret, 'base64')).toHaveLength(32)
    expect(created.accessKey).toMatchObject({
      key: created.key,
      name: 'laptop',
      enabled: true,
      readOnly: false,
      requireDigest: false,
      algorithm: 'hmac-sha256',
      lastUsed: null,
      expires: null,
    })
    const { login } = await user.data(list)
    expect(login.accessKeys[0]).toEqual(created.accessKey)
    expect(login.accessKeys.map(({ key }: { key: string }) => key)).toEqual([created.key, user.keyId])
  })

  it('stores no secret in plaintext', async () => {
    const user = await app.createUser()
    const { createAccessKey: created } = await user.data(create)
    const row = await app.db
      .selectFrom('access_key')
      .selectAll()
      .where('key', '=', created.key)
      .executeTakeFirstOrThrow()
    expect(row.encrypted_secret?.includes(Buffer.from(created.secret, 'base64'))).toBe(false)
    expect(JSON.stringify(await eventsOf(user))).not.toContain(created.secret)
  })

  it('accepts an Ed25519 public key instead of a secret', async () => {
    const user = await app.createUser()
    const { publicKey } = generateKeyPairSync('ed25519')
    const raw = Buffer.from(publicKey.export({ format: 'jwk' }).x!, 'base64url').toString('base64')
    for (const given of [raw, publicKey.export({ type: 'spki', format: 'pem' }).toString()]) {
      const { createAccessKey: created } = await user.data(create, { publicKey: given })
      expect(created).toMatchObject({ secret: null, accessKey: { algorithm: 'ed25519' } })
    }
  })

  it.each([
    ['an empty name', { name: ' ' }, 'BAD_USER_INPUT'],
    ['a name with U+0000', { name: 'a\u0000b' }, 'BAD_USER_INPUT'],
    ['a name with half a surrogate pair', { name: 'a\ud800' }, 'BAD_USER_INPUT'],
    ['a name that is too long', { name: '🔑'.repeat(101) }, 'LIMIT_EXCEEDED'],
    ['an expiry in the past', { expires: '2020-01-01' }, 'BAD_USER_INPUT'],
    ['an invalid public key', { publicKey: 'AAAA' }, 'BAD_USER_INPUT'],
    [
      'an RSA key',
      {
        publicKey: generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({
          type: 'spki',
          format: 'pem',
        }),
      },
      'BAD_USER_INPUT',
    ],
  ])('rejects %s and changes nothing', async (_name, variables, code) => {
    const user = await app.createUser()
    const before = await eventsOf(user)
    expect(codeOf(await user.query(create, variables))).toBe(code)
    expect((await user.data(list)).login.accessKeys).toHaveLength(1)
    expect(await eventsOf(user)).toEqual(before)
  })

  it('accepts a name of 100 multibyte characters', async () => {
    const user = await app.createUser()
    const name = '🔑'.repeat(100)
    expect((await user.data(create, { name })).createAccessKey.accessKey.name).toBe(name)
  })

  it('allows a person at most 10 keys, even with concurrent requests', async () => {
    const user = await app.createUser()
    const responses = await Promise.all(Array.from({ length: 14 }, () => user.query(create)))
    expect(responses.filter(({ errors }) => errors === undefined)).toHaveLength(9)
    const rejected = responses.filter(({ errors }) => errors !== undefined)
    expect(rejected.map(codeOf)).toEqual(Array(5).fill('LIMIT_EXCEEDED'))
    expect(rejected[0]?.errors?.[0]?.message).toMatch(/\b10\b/)
    expect((await user.data(list)).login.accessKeys).toHaveLength(10)
  })
})

describe('changing an access key', () => {
  it('changes given fields, keeps omitted fields, and clears a name that is set to null', async () => {
    const user = await app.createUser()
    const { createAccessKey: created } = await user.data(create, { name: 'laptop' })
    const { key } = created
    expect((await user.data(update, { key, enabled: false })).updateAccessKey).toEqual({
      ...created.accessKey,
      enabled: false,
    })
    expect((await user.data(rename, { key, name: 'desk' })).updateAccessKey).toMatchObject({
      name: 'desk',
      enabled: false,
    })
    expect((await user.data(rename, { key, name: null })).updateAccessKey).toMatchObject({ name: null, enabled: false })
    expect((await user.data(rename, { key })).updateAccessKey).toMatchObject({ name: null, enabled: false })
  })

  it('rejects requests signed with a disabled or deleted key', async () => {
    const user = await app.createUser()
    const { key, secret } = (await user.data(create)).createAccessKey
    const credentials = { MUSTER_ACCESS_KEY_ID: key, MUSTER_SECRET_ACCESS_KEY: secret }
    const listKeys = () => sendAs(credentials, app.url, list)
    expect((await listKeys()).status).toBe(200)
    await user.data(update, { key, enabled: false })
    await expect.poll(listKeys, NOTIFIED).toMatchObject({
      status: 401,
      body: { errors: [{ extensions: { code: 'UNAUTHENTICATED', reason: 'key-disabled' } }] },
    })
    await user.data(update, { key, enabled: true })
    await expect.poll(async () => (await listKeys()).status, NOTIFIED).toBe(200)
    await user.data(remove, { key })
    await expect
      .poll(listKeys, NOTIFIED)
      .toMatchObject({ body: { errors: [{ extensions: { reason: 'bad-signature' } }] } })
  })

  it('allows a key to delete itself', async () => {
    const user = await app.createUser()
    expect(await user.data(remove, { key: user.keyId })).toEqual({ deleteAccessKey: true })
    await expect.poll(async () => (await user.query(list)).status, NOTIFIED).toBe(401)
  })
})

describe('a key that creates or enables another key', () => {
  const soon = () => new Date(Date.now() + 60_000)

  async function keyOf(user: TestUser, variables: Record<string, unknown>) {
    const { key, secret } = (await user.data(create, variables)).createAccessKey
    const credentials = { MUSTER_ACCESS_KEY_ID: key, MUSTER_SECRET_ACCESS_KEY: secret }
    const send = async (query: string, given: Record<string, unknown>) =>
      (await sendAs(credentials, app.url, { query, variables: given })).body
    return { key, send }
  }

  it('if it expires, creates only keys that expire at the same time or earlier', async () => {
    const user = await app.createUser()
    const expires = soon()
    const weak = await keyOf(user, { expires })
    const later = new Date(expires.getTime() + 1)
    for (const given of [{}, { expires: null }, { expires: later }]) {
      const { errors } = await weak.send(create, given)
      expect(errors[0]).toMatchObject({ extensions: { code: 'FORBIDDEN', reason: 'exceeds-own-access' } })
      expect(errors[0].message).toContain(`expires must be ${expires.toISOString()} or earlier`)
    }
    const { data } = await weak.send(create, { expires })
    expect(data.createAccessKey.accessKey.expires).toBe(expires.toISOString())
  })

  it('if it requires a digest, creates only keys that also require one, even with a public key', async () => {
    const user = await app.createUser()
    const weak = await keyOf(user, { requireDigest: true })
    const { publicKey } = generateKeyPairSync('ed25519')
    const pem = publicKey.export({ type: 'spki', format: 'pem' })
    for (const given of [{}, { publicKey: pem }]) {
      const { errors } = await weak.send(create, given)
      expect(errors[0]).toMatchObject({ extensions: { code: 'FORBIDDEN', reason: 'exceeds-own-access' } })
      expect(errors[0].message).toContain('requireDigest must be true')
    }
    expect((await weak.send(create, { requireDigest: true })).data.createAccessKey.accessKey.requireDigest).toBe(true)
  })

  it('cannot create a key if it is read-only', async () => {
    const user = await app.createUser()
    const reader = await keyOf(user, { readOnly: true })
    const { errors } = await reader.send(create, { readOnly: true })
    expect(errors[0].extensions.code).toBe('FORBIDDEN')
  })

  it('can enable a weaker key but not a stronger key', async () => {
    const user = await app.createUser()
    const [strong, alike] = [await keyOf(user, {}), await keyOf(user, { expires: soon(), requireDigest: true })]
    for (const { key } of [strong, alike]) await user.data(update, { key, enabled: false })
    const weak = await keyOf(user, { expires: new Date(Date.now() + 120_000), requireDigest: true })
    const { errors } = await weak.send(update, { key: strong.key, enabled: true })
    expect(errors[0].extensions).toMatchObject({ code: 'FORBIDDEN', reason: 'exceeds-own-access' })
    expect((await weak.send(update, { key: alike.key, enabled: true })).data.updateAccessKey.enabled).toBe(true)
    const keys = (await user.data(list)).login.accessKeys as { key: string; enabled: boolean }[]
    expect(keys.find(({ key }) => key === strong.key)?.enabled).toBe(false)
  })
})

describe('the event of a change to a key', () => {
  it('contains the actor, the change, and the key, and is recorded only if something changed', async () => {
    const user = await app.createUser()
    const { key } = (await user.data(create, { name: 'laptop', readOnly: true })).createAccessKey
    await user.data(update, { key, name: 'laptop', enabled: true })
    await user.data(update, { key, name: 'desk', enabled: false })
    await user.data(remove, { key })
    const actor = { actor_id: user.accountId }
    const target = (name: string) => [{ id: key, name, kind: 'accessKey' }]
    expect((await eventsOf(user)).slice(0, 3)).toEqual([
      { ...actor, type: 'ACCESS_KEY_DELETE', targets: target('desk'), data: { name: 'desk' } },
      {
        ...actor,
        type: 'ACCESS_KEY_UPDATE',
        targets: target('desk'),
        data: { changes: { name: { old: 'laptop', new: 'desk' }, enabled: { old: true, new: false } } },
      },
      {
        ...actor,
        type: 'ACCESS_KEY_CREATE',
        targets: target('laptop'),
        data: {
          ...{ name: 'laptop', readOnly: true, requireDigest: false, algorithm: 'hmac-sha256', expires: null },
          ...{ kind: 'account', permissions: namesIn(usualKeyPermissions), networks: [], rateShare: 100 },
        },
      },
    ])
  })
})

describe('another user', () => {
  it('cannot see, change, or delete a key', async () => {
    const [user, other] = [await app.createUser(), await app.createUser()]
    expect(codeOf(await other.query(update, { key: user.keyId, enabled: false }))).toBe('NOT_FOUND')
    expect(codeOf(await other.query(remove, { key: user.keyId }))).toBe('NOT_FOUND')
    const unknown = await other.query(remove, { key: 'MKAAAAAAAAAAAAAAAAAA' })
    expect(codeOf(unknown)).toBe('NOT_FOUND')
    expect((await other.data(list)).login.accessKeys.map(({ key }: { key: string }) => key)).toEqual([other.keyId])
    expect((await user.data(list)).login.accessKeys).toMatchObject([{ key: user.keyId, enabled: true }])
  })
})
