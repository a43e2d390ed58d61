import { parse } from 'graphql'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { sharedTestApp } from '../../server/test/harness/app.ts'
import {
  BadUserInputError,
  ForbiddenError,
  generateKeyPair,
  Muster,
  NotFoundError,
  type TypedDocument,
  UnauthenticatedError,
} from '../src/index.ts'

const app = sharedTestApp()
let muster: Muster
beforeEach(async () => {
  const { keyId, secret } = await app.createUser()
  muster = new Muster({ url: app.url, keyId, secret })
})

describe('a selection', () => {
  it('returns results in the shape of the selection, including arguments and aliases', async () => {
    const { device } = await muster.mutations.registerDevice({
      name: 'pump',
      platform: 'linux',
      attributes: { site: 'oslo', '$svc.categoryA': 'x' },
      services: [{ name: 'shell', port: 22 }],
    })
    await muster.attributes.set(device.id, 'site', 'bergen', { context: 'night' })
    const result = await muster.select({
      version: true,
      'who: login': {
        devices: {
          $: { platform: ['linux'], attributes: { site: 'oslo' } },
          total: true,
          items: {
            name: true,
            attributes: true,
            'atNight: attributes': { $: { context: 'night' } },
            services: { title: true },
          },
        },
      },
    })
    expect(result).toEqual({
      version: expect.any(String),
      who: {
        devices: {
          total: 1,
          items: [
            {
              name: 'pump',
              attributes: { site: 'oslo', $svc: { categoryA: 'x' } },
              atNight: { site: 'bergen', $svc: { categoryA: 'x' } },
              services: [{ title: 'SSH' }],
            },
          ],
        },
      },
    })
  })

  it('throws a TypeError for an invalid selection that the compiler did not check', async () => {
    const wrong: [unknown, string][] = [
      [{ login: { emial: true } }, 'User has no field "emial"'],
      [{ login: { constructor: true } }, 'User has no field "constructor"'],
      [{ login: { 'email { id }': true } }, 'has no field'],
      [{ login: { devices: { $: { sise: 1 }, total: true } } }, 'User.devices has no argument "sise"'],
      [{ login: true }, 'select at least one field of User'],
      [{ login: { email: 1 } }, 'the selection of User.email must be true or an object'],
    ]
    for (const [selection, message] of wrong) {
      const thrown = await muster.select(selection as { version: true }).catch((error: unknown) => error)
      expect(thrown).toBeInstanceOf(TypeError)
      expect((thrown as Error).message).toContain(message)
    }
  })
})

describe('mutations', () => {
  it("returns plain fields of a mutation's result without a selection", async () => {
    const { device, secret } = await muster.mutations.registerDevice({ name: 'pump', hardwareId: 'h1' })
    expect(secret).toMatch(/./)
    expect(device).toMatchObject({ name: 'pump', hardwareId: 'h1', attributes: {}, contexts: [], state: 'inactive' })
    expect(device.owner.email).toMatch('@')
    const service = await muster.mutations.addService({ deviceId: device.id, name: 'web', port: 443 })
    expect(service).toMatchObject({ name: 'web', title: 'HTTPS', port: 443 })
    expect(await muster.mutations.updateDevice({ deviceId: device.id, hardwareId: null })).toMatchObject({
      name: 'pump',
      hardwareId: null,
    })
    const { webhook, code } = {
      webhook: await muster.mutations.createWebhook({ url: 'https://example.com/', events: ['DEVICE_DELETE'] }),
      code: await muster.mutations.createRegistrationCode({ expires: new Date(Date.now() + 60_000) }),
    }
    expect(webhook).toMatchObject({
      enabled: true,
      events: ['DEVICE_DELETE'],
      secret: expect.stringContaining('whsec_'),
    })
    expect(code.registrationCode.prefix).toBe(code.code.slice(0, code.registrationCode.prefix.length))
    expect(await muster.mutations.deleteDevice({ deviceId: device.id })).toBe(true)
  })

  it('runs several mutations in one request', async () => {
    const { one, two } = await muster.mutate({
      'one: registerDevice': { $: { name: 'a' }, device: { name: true } },
      'two: registerDevice': { $: { name: 'b' }, device: { name: true } },
    })
    expect([one.device.name, two.device.name]).toEqual(['a', 'b'])
  })
})

describe('a document', () => {
  it('accepts a typed parsed document or a typed string', async () => {
    type Found = { login: { devices: { total: number } } }
    const text = 'query ($name: String!) { login { devices(name: $name) { total } } }'
    const tree = parse(text) as TypedDocument<Found, { name: string }>
    const typed = Object.assign(new String(text), {}) as TypedDocument<Found, { name: string }>
    for (const document of [tree, typed]) {
      const { login } = await muster.query(document, { name: 'x' })
      expect(login.devices.total).toBe(0)
    }
  })

  it('throws an error whose class matches the code, with the request ID', async () => {
    await expect(muster.query('{ login { emial } }')).rejects.toBeInstanceOf(BadUserInputError)
    const result = await muster.execute('{ login { emial } }')
    expect(result).toMatchObject({ status: 400, requestId: expect.stringMatching(/./) })
    const missing = await muster.mutations.deleteDevice({ deviceId: '80:00:00:00:00:00:00:01' }).catch((error) => error)
    expect(missing).toBeInstanceOf(NotFoundError)
    expect(missing).toMatchObject({ path: ['deleteDevice'], requestId: expect.stringMatching(/./) })
  })
})

describe('credentials', () => {
  it('accepts a private key in both signature forms', async () => {
    const { publicKey, privateKey } = await generateKeyPair()
    const { key } = await muster.mutations.createAccessKey({ publicKey, requireDigest: true })
    for (const form of ['rfc9421', 'cavage'] as const) {
      const other = new Muster({ url: app.url, keyId: key, privateKey, form })
      expect(await other.select({ login: { email: true } })).toEqual(await muster.select({ login: { email: true } }))
    }
  })

  it('reports the reason if the credentials are invalid', async () => {
    const { key, secret } = await muster.mutations.createAccessKey({ readOnly: true })
    const reader = new Muster({ url: app.url, keyId: key, secret: secret!, form: 'cavage' })
    await expect(reader.mutations.registerDevice({ name: 'x' })).rejects.toBeInstanceOf(ForbiddenError)
    await muster.mutations.deleteAccessKey({ key })
    // A server process may accept a deleted key for up to a second, even if it deleted the key itself.
    const query = () => reader.select({ login: { email: true } }).catch((error: unknown) => error)
    await expect.poll(query).toBeInstanceOf(UnauthenticatedError)
    expect(await query()).toMatchObject({ reason: 'bad-signature', status: 401 })
  })
})

describe('getDevice and getService', () => {
  it('returns an object by ID, or throws NotFoundError', async () => {
    const services = [{ name: 'shell', port: 22 }]
    const { device } = await muster.mutations.registerDevice({ name: 'pump', services })
    const found = await muster.getDevice(device.id, { select: { name: true, services: { id: true } } })
    expect(found).toEqual({ name: 'pump', services: [{ id: expect.any(String) }] })
    expect(await muster.getService(found.services[0]!.id)).toMatchObject({ name: 'shell', title: 'SSH' })
    expect(await muster.getDevice(device.id.toUpperCase())).toEqual(device)
    const missing = muster.getDevice('80:00:00:00:00:00:00:01')
    await expect(missing).rejects.toBeInstanceOf(NotFoundError)
    await expect(muster.getService('80:00:00:00:00:00:00:01')).rejects.toThrow('80:00:00:00:00:00:00:01')
  })
})

describe('attributes', () => {
  it('sets, reads, and removes base values and overrides of devices, services, and the account', async () => {
    const { login } = await muster.select({ login: { id: true } })
    const { device } = await muster.mutations.registerDevice({ name: 'pump', services: [{ name: 's', port: 1 }] })
    const { services } = await muster.getDevice(device.id, { select: { services: { id: true } } })
    for (const [target, name] of [
      [login!.id, '$ui.columns'],
      [device.id, 'site'],
      [services[0]!.id, 'site'],
    ] as const) {
      expect(await muster.attributes.set(target, name, 'a')).toBe('a')
      expect(await muster.attributes.set(target, name, 'b', { context: 'night' })).toBe('b')
      expect(await muster.attributes.get(target, name)).toBe('a')
      expect(await muster.attributes.get(target, name, { context: 'night' })).toBe('b')
      expect(await muster.attributes.contexts(target)).toEqual(['night'])
      expect(Object.keys(await muster.attributes.overrides(target, 'night'))).toEqual([name.split('.')[0]])
      expect(await muster.attributes.overrides(target, 'day')).toEqual({})
      await muster.attributes.unset(target, name, { context: 'night' })
      expect(await muster.attributes.get(target, name, { context: 'night' })).toBe('a')
      await muster.attributes.unset(target, [name, `${name}x`])
      expect(await muster.attributes.get(target)).toEqual({})
      expect(await muster.attributes.get(target, name)).toBeNull()
    }
    await expect(muster.attributes.get(crypto.randomUUID())).rejects.toBeInstanceOf(NotFoundError)
    await expect(muster.attributes.get('80:00:00:00:00:00:00:01')).rejects.toBeInstanceOf(NotFoundError)
  })

  it('sets attributes on many targets, and reports rejected targets', async () => {
    const ids: string[] = []
    for (let number = 0; number < 7; number++)
      ids.push((await muster.mutations.registerDevice({ name: `pump ${number}` })).device.id)
    const progress: number[] = []
    const outcome = await muster.attributes.setMany(
      [
        ...ids.map((target) => ({ target, attributes: { site: 'oslo', big: 'é'.repeat(8_000) } })),
        { target: '80:00:00:00:00:00:00:01', attributes: { site: 'oslo' } },
        { target: ids[0]!, attributes: { '$svc.other': 'x' }, context: 'own' },
      ],
      { batch: 3, concurrency: 2, context: 'day', onProgress: ({ succeeded }) => progress.push(succeeded) },
    )
    expect(outcome.succeeded).toBe(7)
    expect(outcome.failed.map(({ code }) => code).sort()).toEqual(['NOT_FOUND', 'RESERVED_ATTRIBUTE'])
    expect(outcome.failed.find(({ code }) => code === 'NOT_FOUND')).toMatchObject({ attributes: { site: 'oslo' } })
    expect(progress).toHaveLength(3)
    expect(progress.at(-1)).toBe(7)
    for (const id of ids) expect(await muster.attributes.contexts(id)).toEqual(['day'])
  })

  it('sends attributes in several requests if they are too large for one', async () => {
    const { device } = await muster.mutations.registerDevice({ name: 'pump' })
    const items = Array.from({ length: 150 }, (_, number) => ({
      target: device.id,
      attributes: { big: String(number % 10).repeat(16_000) },
      context: `c${number % 50}`,
    }))
    expect(await muster.attributes.setMany(items)).toEqual({ succeeded: 150, failed: [] })
  })

  it('waits for quota if the rate limit is low', async () => {
    const user = await app.createUser()
    const rejections = { count: 0 }
    // The test refills the quota only after a rejection.
    const env = { MUSTER_KEY_POINTS: '100', MUSTER_KEY_POINTS_PER_SECOND: '100' }
    const server = await app.startAnother({ env, elapsed: () => rejections.count * 50 })
    onTestFinished(() => server.close())
    const counting: typeof fetch = async (...request) => {
      const response = await fetch(...request)
      if (response.status === 429) rejections.count++
      return response
    }
    const { keyId, secret } = user
    const client = new Muster({ url: server.url, keyId, secret, fetch: counting, retries: 1 })
    const { device } = await client.mutations.registerDevice({ name: 'pump' })
    const items = Array.from({ length: 600 }, (_, number) => ({
      target: device.id,
      attributes: { value: String(number) },
      context: `c${number % 10}`,
    }))
    const outcome = await client.attributes.setMany(items, { batch: 10, concurrency: 8 })
    expect(outcome).toEqual({ succeeded: 600, failed: [] })
    // Each of the 60 batches has a rate-limit cost of 2, and each rejection refills only 5 of the quota of 100.
    expect(rejections.count).toBeGreaterThanOrEqual(5)
  })
})
