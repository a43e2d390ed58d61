import { describe, expect, it } from 'vitest'
import { sendDocument, withKey } from '../../../test/access/callers.ts'
import { openStream } from '../../../test/clients/event-stream.ts'
import { failure, keyOf, NOTIFIED, readDevices, sendAsUser } from '../../../test/factories/keys.ts'
import { sharedTestApp, startTestApp, type TestUser, testUser } from '../../../test/harness/app.ts'

const app = sharedTestApp({ env: { MUSTER_TRUSTED_PROXIES: '127.0.0.0/8' } })

describe('a key with networks', () => {
  const from = (user: TestUser, forwarded?: string) =>
    sendDocument(
      app,
      { ...withKey(user), ...(forwarded && { headers: { 'x-forwarded-for': forwarded } }) },
      readDevices,
    )
  const decisionOf = async (user: TestUser, forwarded?: string) => {
    const { status, body } = await from(user, forwarded)
    return body.errors?.[0].extensions.reason ?? status
  }

  it('is accepted only from these networks, including IPv4 addresses in IPv6 notation', async () => {
    const user = await app.createUser()
    const networks = '["192.0.2.7/24", "::ffff:198.51.100.0/120", "2001:db8::1/32"]'
    const key = await keyOf(app, sendAsUser(user), `networks: ${networks}`)
    expect(key.accessKey.networks).toEqual(['192.0.2.0/24', '198.51.100.0/24', '2001:db8::/32'])
    for (const address of ['192.0.2.1', '::ffff:192.0.2.1', '::ffff:c000:201', '198.51.100.9', '2001:db8:1::5'])
      expect([address, await decisionOf(key, address)]).toEqual([address, 200])
    for (const address of ['192.0.3.1', '::ffff:192.0.3.1', '2001:db9::1', undefined])
      expect([address, await decisionOf(key, address)]).toEqual([address, 'key-network'])
    const { body } = await from(key, '203.0.113.5')
    expect(body.errors[0].message).toContain('203.0.113.5')
  })

  it('is checked against the address of the connection if no proxy is trusted', async () => {
    const direct = await app.startAnother()
    const user = await app.createUser()
    const key = await keyOf(app, sendAsUser(user), 'networks: ["192.0.2.0/24"]')
    const headers = { 'x-forwarded-for': '192.0.2.1' }
    const { body } = await sendDocument(direct, { ...withKey(key), headers }, readDevices)
    expect(body.errors[0].extensions.reason).toBe('key-network')
    await direct.close()
  })

  it('restricts its download links and streams to its networks', async () => {
    const user = await app.createUser()
    const key = await keyOf(app, sendAsUser(user), 'networks: ["127.0.0.0/8"]')
    const { login } = await key.data('{ login { eventsUrl } }')
    const download = (address: string) => fetch(login.eventsUrl, { headers: { 'x-forwarded-for': address } })
    expect((await download('127.0.0.9')).status).toBe(200)
    expect((await download('192.0.2.1')).status).toBe(401)
    const stream = await openStream({ app, user: key, query: 'subscription { events { id } }' })
    await user.data(`mutation { updateAccessKey(key: "${key.keyId}", networks: ["192.0.2.0/24"]) { networks } }`)
    await stream.ended
    expect(JSON.stringify(stream.messages)).toContain('key-network')
    await user.data(`mutation { updateAccessKey(key: "${key.keyId}", networks: null) { networks } }`)
    await expect.poll(() => decisionOf(key, '203.0.113.5'), NOTIFIED).toBe(200)
  })

  it.each(['10.0.0.0/33', '10.1', '300.0.0.1', 'fe80::1%eth0', 'x', '', '10.0.0.0/8/8', '2001:db8::/129'])(
    'rejects %j as a network',
    async (network) => {
      const user = await app.createUser()
      const { errors } = await user.query(`mutation { createAccessKey(networks: ["${network}"]) { key } }`)
      expect(errors?.[0]?.extensions.code).toBe('BAD_USER_INPUT')
      expect(errors?.[0]?.message).toContain('networks[0] must be an IP address or a network in CIDR notation')
    },
  )

  it('can have at most 50 networks', async () => {
    const user = await app.createUser()
    const networks = (count: number) =>
      JSON.stringify(Array.from({ length: count }, (_, index) => `10.0.${index}.0/24`))
    await keyOf(app, sendAsUser(user), `networks: ${networks(50)}`)
    const { errors } = await user.query(`mutation { createAccessKey(networks: ${networks(51)}) { key } }`)
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'LIMIT_EXCEEDED', limit: 50, found: 51 })
  })
})

describe('a key that manages keys', () => {
  const exceeds = { code: 'FORBIDDEN', reason: 'exceeds-own-access' }
  const newManager = async () => {
    const user = await app.createUser()
    const manager = await keyOf(app, sendAsUser(user), 'networks: ["127.0.0.0/8", "2001:db8::/32"], rateShare: 50')
    return { user, manager, create: (args: string) => keyOf(app, sendAsUser(manager), args) }
  }

  it('cannot create a key for networks outside its own or with a greater share than its own', async () => {
    const { user, manager, create } = await newManager()
    for (const args of [
      'rateShare: 50',
      'rateShare: 50, networks: ["127.0.0.0/7"]',
      'rateShare: 50, networks: ["127.0.0.1", "192.0.2.1"]',
      'rateShare: 51, networks: ["127.0.0.1"]',
      'networks: ["127.0.0.1"]',
    ])
      expect([args, failure(await manager.query(`mutation { createAccessKey(${args}) { key } }`))]).toEqual([
        args,
        exceeds,
      ])
    await create('rateShare: 50, networks: ["127.0.0.0/8", "127.0.0.1", "2001:db8:1::/48"]')
    const rotate = (key: string) => manager.query(`mutation { rotateAccessKey(key: "${key}") { key } }`)
    expect(failure(await rotate(user.keyId))).toEqual(exceeds)
    expect((await rotate(manager.keyId)).errors).toBeUndefined()
  })

  it('cannot widen an enabled key, including itself, beyond its own networks and share', async () => {
    const { user, manager, create } = await newManager()
    const narrow = await create('rateShare: 10, networks: ["127.0.0.1"]')
    const update = (by: TestUser, key: string, args: string) =>
      by.query(`mutation { updateAccessKey(key: "${key}", ${args}) { key } }`)
    for (const key of [manager.keyId, narrow.keyId])
      for (const args of ['networks: null', 'networks: ["0.0.0.0/0"]', 'rateShare: 51'])
        expect([args, failure(await update(manager, key, args))]).toEqual([args, exceeds])
    expect((await update(manager, narrow.keyId, 'networks: ["127.0.0.0/8"], rateShare: 50')).errors).toBeUndefined()
    // If a key allows networks that the caller's key does not, the caller can narrow them, but cannot widen them.
    expect((await update(manager, user.keyId, 'networks: ["192.0.2.0/24", "127.0.0.1"]')).errors).toBeUndefined()
    expect(failure(await update(manager, user.keyId, 'networks: ["192.0.0.0/16", "127.0.0.1"]'))).toEqual(exceeds)
  })
})

describe('a key with a share of the quota', () => {
  it("spends at most that share, also spends the account's quota, and always allows a burst of 20 points", async () => {
    const clock = { now: 0 }
    const env = { MUSTER_KEY_POINTS: '100', MUSTER_KEY_POINTS_PER_SECOND: '10' }
    const limited = await startTestApp({ env, elapsed: () => clock.now })
    const { query: asAccount, data } = limited.owner
    const create = async (rateShare: number) => {
      const { createAccessKey: created } = await data(
        `mutation { createAccessKey(rateShare: ${rateShare}) { key secret } }`,
      )
      return testUser(limited.url, { ...limited.owner, keyId: created.key, secret: created.secret })
    }
    const [half, least] = [await create(50), await create(1)]
    const small = '{ login { id } }'
    const first = await half.query(small)
    expect(first.headers.get('ratelimit-policy')).toBe('"key";q=50;w=10')
    expect(first.headers.get('ratelimit')).toMatch(/^"key";r=49;/)
    expect((await least.query(small)).headers.get('ratelimit-policy')).toBe('"key";q=20;w=200')
    const before = Number(/r=(\d+)/.exec((await asAccount(small)).headers.get('ratelimit')!)![1])
    for (let sent = 1; sent < 50; sent++) await half.query(small)
    const rejected = await half.query(small)
    expect([rejected.status, rejected.errors?.[0]?.message]).toEqual([429, expect.stringContaining('this access key')])
    expect(Number(/r=(\d+)/.exec((await asAccount(small)).headers.get('ratelimit')!)![1])).toBe(before - 50)
    clock.now += 1_000
    expect((await half.query(small)).headers.get('ratelimit')).toMatch(/^"key";r=4;/)
    await limited.close()
  })

  it('rejects shares below 1 and above 100', async () => {
    const user = await app.createUser()
    for (const share of [0, 101, -1])
      expect(failure(await user.query(`mutation { createAccessKey(rateShare: ${share}) { key } }`)).code).toBe(
        'BAD_USER_INPUT',
      )
  })
})
