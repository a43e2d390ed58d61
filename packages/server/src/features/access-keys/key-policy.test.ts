import { signRequest } from '@muster/http-signature'
import { beforeEach, describe, expect, it } from 'vitest'
import { restClient } from '../../../test/clients/rest.ts'
import { asMember, failure, keyOf, NOTIFIED, readDevices, sendAsUser } from '../../../test/factories/keys.ts'
import { newMember } from '../../../test/factories/member.ts'
import { sharedTestApp, type TestUser } from '../../../test/harness/app.ts'

let now = new Date()
const app = sharedTestApp({ clock: () => now })
// Request signatures contain the actual time, which may differ from the server's clock by at most five minutes.
beforeEach(() => {
  now = new Date()
})

const setPolicy = (user: TestUser, args: string) =>
  user.query(`mutation { setKeyPolicy(${args}) {
    maxDays personalKeys requireDigest requireNetworks enforcedFrom violations { key } } }`)

const after = (seconds: number): string => new Date(now.getTime() + seconds * 1_000).toISOString()

async function withoutDigest({ keyId, secret }: TestUser): Promise<unknown> {
  const url = `${app.url}/graphql/v1`
  const body = JSON.stringify({ query: readDevices })
  const headers = { 'content-type': 'application/json' }
  const signature = signRequest({
    ...{ keyId, key: { algorithm: 'hmac-sha256', secret: Buffer.from(secret, 'base64') } },
    ...{ method: 'POST', url, headers, body, created: Math.floor(now.getTime() / 1_000), digest: false },
  })
  const response = await fetch(url, { method: 'POST', headers: { ...headers, ...signature }, body })
  const { errors } = (await response.json()) as { errors?: { extensions: { reason: string } }[] }
  return errors?.[0]?.extensions.reason ?? response.status
}

describe('the key policy of an account', () => {
  it('applies to new keys immediately, with an error that names the violated rule', async () => {
    const user = await app.createUser()
    const { data } = await setPolicy(
      user,
      'maxDays: 30, personalKeys: false, requireDigest: true, requireNetworks: true',
    )
    expect(data?.setKeyPolicy).toMatchObject({ maxDays: 30, enforcedFrom: null, violations: [{ key: user.keyId }] })
    const good = `expires: "${after(86_400)}", requireDigest: true, networks: ["127.0.0.0/8"]`
    const create = (args: string) => user.query(`mutation { createAccessKey(${args}) { key } }`)
    for (const [args, rule] of [
      [`${good}, personal: true`, 'personalKeys'],
      [good.replace('requireDigest: true', 'requireDigest: false'), 'requireDigest'],
      [good.replace('["127.0.0.0/8"]', '[]'), 'requireNetworks'],
      [good.replace(after(86_400), after(86_400 * 31)), 'maxDays'],
    ] as const) {
      const { errors } = await create(args)
      expect([rule, errors?.[0]?.extensions.code]).toEqual([rule, 'BAD_USER_INPUT'])
      expect(errors?.[0]?.message).toContain(rule)
    }
    const { data: created } = await create(good)
    const clear = `mutation { updateAccessKey(key: "${created?.createAccessKey.key}", networks: null) { key } }`
    expect(failure(await user.query(clear))).toEqual({ code: 'BAD_USER_INPUT' })
    expect((await user.query(`mutation { updateAccessKey(key: "${user.keyId}", name: "old") { key } }`)).errors).toBe(
      undefined,
    )
    const { login } = await user.data('{ login { events(size: 10) { items { type data } } } }')
    expect(login.events.items).toContainEqual({
      type: 'KEY_POLICY_UPDATE',
      data: {
        changes: {
          maxDays: { old: null, new: 30 },
          personalKeys: { old: true, new: false },
          requireDigest: { old: false, new: true },
          requireNetworks: { old: false, new: true },
        },
      },
    })
  })

  it('suspends existing keys that violate it only when it is enforced', async () => {
    const user = await app.createUser()
    const networks = await keyOf(app, sendAsUser(user), 'networks: ["127.0.0.0/8"]')
    const without = await keyOf(app, sendAsUser(user), 'name: "without networks"')
    await setPolicy(networks, `requireNetworks: true`).then(({ errors }) => expect(errors).toHaveLength(1))
    const from = after(60)
    await setPolicy(user, `requireNetworks: true, enforcedFrom: "${from}"`)
    await without.data(readDevices)
    const suspended = async () =>
      (await networks.data('{ login { accessKeys { key suspended } keyPolicy { violations { key } } } }')).login
    expect((await suspended()).accessKeys.every((key: { suspended: unknown }) => key.suspended === null)).toBe(true)
    const before = now
    now = new Date(from)
    expect(failure(await without.query(readDevices))).toEqual({ code: 'UNAUTHENTICATED', reason: 'key-policy' })
    await networks.data(readDevices)
    expect((await suspended()).accessKeys).toContainEqual({ key: without.keyId, suspended: 'policy' })
    expect((await suspended()).keyPolicy.violations).toContainEqual({ key: without.keyId })
    now = before
    await setPolicy(user, 'enforcedFrom: null')
    now = new Date(from)
    await expect.poll(async () => (await without.query(readDevices)).status, NOTIFIED).toBe(200)
    now = before
  })

  it('can be changed with ACCOUNT_MANAGE alone, which does not allow listing the keys that violate it', async () => {
    const user = await app.createUser()
    const owner = asMember(app, await newMember(app, user.accountId, 'owner'))
    const manager = await keyOf(app, owner, 'access: { permissions: [ACCOUNT_MANAGE] }')
    expect(failure(await setPolicy(manager, 'requireDigest: true'))).toEqual({
      code: 'FORBIDDEN',
      reason: 'permission',
      missing: [{ field: 'KeyPolicy.violations', permission: 'AUDIT_READ' }],
    })
    const response = await restClient(app.url, manager)('PATCH', '/key-policy', { body: { requireDigest: true } })
    expect(response).toMatchObject({ status: 200 })
    expect(response.body).toEqual({
      maxDays: null,
      personalKeys: true,
      requireDigest: true,
      requireNetworks: false,
      enforcedFrom: null,
    })
  })

  it("counts days from a key's creation by the server's clock", async () => {
    const user = await app.createUser()
    const before = now
    now = new Date(now.getTime() + 120_000)
    await setPolicy(user, 'maxDays: 1')
    const { createAccessKey: created } = await user.data(
      `mutation { createAccessKey(expires: "${after(86_400)}") { accessKey { key created } } }`,
    )
    expect(created.accessKey.created).toBe(now.toISOString())
    const { login } = await user.data('{ login { keyPolicy { violations { key } } } }')
    expect(login.keyPolicy.violations).toEqual([{ key: user.keyId }])
    now = before
  })

  it('lists only keys that have not expired as violations', async () => {
    const user = await app.createUser()
    const { createAccessKey: created } = await user.data(
      `mutation { createAccessKey(expires: "${after(60)}") { key } }`,
    )
    const { data } = await setPolicy(user, 'requireNetworks: true')
    expect(data?.setKeyPolicy.violations).toContainEqual({ key: created.key })
    const before = now
    now = new Date(now.getTime() + 60_000)
    const { login } = await user.data('{ login { keyPolicy { violations { key } } } }')
    expect(login.keyPolicy.violations).toEqual([{ key: user.keyId }])
    now = before
  })

  it('with only requireDigest, requires a digest from existing keys instead of suspending them', async () => {
    const user = await app.createUser()
    const key = await keyOf(app, sendAsUser(user), 'name: "without digest"')
    expect(await withoutDigest(key)).toBe(200)
    await setPolicy(user, `requireDigest: true, enforcedFrom: "${after(0)}"`)
    await expect.poll(() => withoutDigest(key), NOTIFIED).toBe('digest-required')
    await key.data(readDevices)
    const { login } = await user.data('{ login { accessKeys { key suspended } } }')
    expect(login.accessKeys).toContainEqual({ key: key.keyId, suspended: null })
  })

  it.each(['maxDays: 0', 'maxDays: 40000'])('rejects %s', async (args) => {
    expect(failure(await setPolicy(await app.createUser(), args))).toEqual({ code: 'BAD_USER_INPUT' })
  })
})
