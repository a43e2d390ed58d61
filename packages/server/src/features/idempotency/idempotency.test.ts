import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { describe, expect, it, onTestFinished } from 'vitest'
import { effectOf } from '../../../../client/src/documents/effect-of-document.ts'
import { newPerson, signIn } from '../../../test/clients/browser.ts'
import { restClient } from '../../../test/clients/rest.ts'
import { statActivity } from '../../../test/cluster/cluster-databases.ts'
import { sharedTestApp, type TestUser } from '../../../test/harness/app.ts'
import { sendAs } from '../../../test/harness/server-process.ts'
import { limits } from '../../limits.ts'
import { buildSchema } from '../../schema.ts'

const app = sharedTestApp({
  resolve: async () => ['93.184.215.14'],
})

const keyHeader = (key: string) => ({ 'idempotency-key': JSON.stringify(key) })

const sendWith = (
  { keyId, secret }: Pick<TestUser, 'keyId' | 'secret'>,
  key: string,
  query: string,
  variables?: Record<string, unknown>,
) =>
  sendAs(
    { MUSTER_ACCESS_KEY_ID: keyId, MUSTER_SECRET_ACCESS_KEY: secret },
    app.url,
    { query, variables },
    { ...keyHeader(key), accept: 'application/graphql-response+json' },
  )

const register = `mutation ($name: String!, $hardwareId: String) {
  registerDevice(name: $name, hardwareId: $hardwareId) { device { id name attributes } }
}`

const countDevices = async (user: TestUser): Promise<number> =>
  (await user.data('{ login { devices { total } } }')).login.devices.total

const secretMutations = [
  ['registerDevice', 'mutation { registerDevice(name: "a") { device { id } secret } }', 'device'],
  ['createAccessKey', 'mutation { createAccessKey(name: "a") { key secret } }', 'access key'],
  ['createWebhook', 'mutation { createWebhook(url: "https://hooks.example.com/") { id secret } }', 'webhook'],
  [
    'createRegistrationCode',
    'mutation { createRegistrationCode(name: "a") { code registrationCode { id } } }',
    'registration code',
  ],
] as const

describe('a request with an Idempotency-Key', () => {
  it('receives the first response and creates nothing else when it is repeated', async () => {
    const user = await app.createUser()
    const first = await sendWith(user, 'k1', register, { name: 'pump', hardwareId: 'p-1' })
    expect(first.body.errors).toBeUndefined()
    for (let count = 0; count < 3; count++)
      expect(await sendWith(user, 'k1', register, { name: 'pump', hardwareId: 'p-1' })).toEqual(first)
    expect(await countDevices(user)).toBe(1)
  })

  it('receives the first response when it is repeated, even if the created object has changed', async () => {
    const user = await app.createUser()
    const { device } = (await user.data(register, { name: 'pump' })).registerDevice
    const add = `mutation { addService(deviceId: "${device.id}", name: "ssh", port: 22) { id name port } }`
    const first = await sendWith(user, 'k1', add)
    const { id } = first.body.data.addService
    await user.data(`mutation { updateService(id: "${id}", name: "other") { id } }`)
    expect(await sendWith(user, 'k1', add)).toEqual(first)
  })

  it.each(secretMutations)(
    'fails with CONFLICT and the ID of the created object when it is repeated, if the response of %s contains a secret',
    async (field, document, kind) => {
      const user = await app.createUser()
      const { body } = await sendWith(user, 'k1', document)
      const created = body.data[field]
      const id = created.device?.id ?? created.registrationCode?.id ?? created.id ?? created.key
      const repeat = await sendWith(user, 'k1', document)
      expect(repeat.status).toBe(409)
      expect(repeat.body.errors[0].extensions).toEqual({
        code: 'CONFLICT',
        reason: 'already-created',
        created: { kind, id },
      })
      const rows = await sql`select * from idempotency_record where account_id = ${user.accountId}`.execute(app.db)
      expect(rows.rows).toHaveLength(1)
      expect(JSON.stringify(rows.rows)).not.toContain(created.secret ?? created.code)
    },
  )

  it('fails with the ID of the created object when it is repeated, if the response was too large', async () => {
    const user = await app.createUser()
    const services = Array.from({ length: 60 }, (_, index) => ({ name: `s${index} ${'x'.repeat(80)}`, port: 22 }))
    const document = `mutation ($services: [ServiceInput!]) {
      registerDevice(name: "a", services: $services) { device { id services { name } } }
    }`
    const variables = { services }
    const first = await sendWith(user, 'k1', document, variables)
    const repeat = await sendWith(user, 'k1', document, variables)
    expect(repeat.body.errors[0].extensions.created.id).toBe(first.body.data.registerDevice.device.id)
    expect(await countDevices(user)).toBe(1)
  })

  it('is rejected while an identical request runs, and then receives the response of that request', async () => {
    const user = await app.createUser()
    const { device } = (await user.data(register, { name: 'pump' })).registerDevice
    const add = `mutation { addService(deviceId: "${device.id}", name: "ssh") { id } }`
    const locked = await app.db.startTransaction().execute()
    onTestFinished(async () => {
      if (!locked.isCommitted) await locked.rollback().execute()
    })
    await sql`select from device where account_id = ${user.accountId} for update`.execute(locked)
    const first = sendWith(user, 'k1', add)
    const waiting = sql`select from ${sql.table(statActivity)} where wait_event_type = 'Lock' and datname = current_database()`
    while ((await waiting.execute(app.db)).rows.length === 0) await sleep(20)
    const repeat = await sendWith(user, 'k1', add)
    expect([repeat.status, repeat.body.errors[0].extensions]).toEqual([
      409,
      { code: 'CONFLICT', reason: 'still-running', retryAfter: 1 },
    ])
    await locked.commit().execute()
    const response = await first
    expect(response.body.errors).toBeUndefined()
    expect(await sendWith(user, 'k1', add)).toEqual(response)
  })

  it('creates only one object if it arrives many times at once', async () => {
    const user = await app.createUser()
    const responses = await Promise.all(
      Array.from({ length: 12 }, () => sendWith(user, 'k1', register, { name: 'pump' })),
    )
    const ids = responses.flatMap(({ body }) => body.data?.registerDevice?.device.id ?? [])
    expect(new Set(ids).size).toBe(1)
    const reasons = responses.flatMap(({ body }) => body.errors?.[0].extensions.reason ?? [])
    expect(ids.length + reasons.length).toBe(12)
    expect(new Set([...reasons, 'still-running'])).toEqual(new Set(['still-running']))
    expect(await countDevices(user)).toBe(1)
  })

  it('runs again after a day', async () => {
    const user = await app.createUser()
    const first = await sendWith(user, 'k1', register, { name: 'pump' })
    const { device } = first.body.data.registerDevice
    await sql`update idempotency_record set expires = now() - interval '1 second' where account_id = ${user.accountId}`.execute(
      app.db,
    )
    const second = await sendWith(user, 'k1', register, { name: 'pump' })
    expect(second.body.data.registerDevice.device.id).not.toBe(device.id)
    expect(await sendWith(user, 'k1', register, { name: 'pump' })).toEqual(second)
  })

  it('runs again after a failure', async () => {
    const user = await app.createUser()
    await user.data(register, { name: 'pump', hardwareId: 'p-1' })
    const given = { name: 'second', hardwareId: 'p-1' }
    const failed = await sendWith(user, 'k1', register, given)
    expect(failed.body.errors[0].extensions.code).toBe('CONFLICT')
    const { devices } = (await user.data('{ login { devices { items { id } } } }')).login
    await user.data(`mutation { updateDevice(deviceId: "${devices.items[0].id}", hardwareId: null) { id } }`)
    expect((await sendWith(user, 'k1', register, given)).body.data.registerDevice.device.name).toBe('second')
  })

  it('creates nothing if a selected field of the response fails', async () => {
    const user = await app.createUser()
    const invalidSize = `mutation { registerDevice(name: "a") { device { id events(size: 0) { total } } } }`
    const failed = await sendWith(user, 'k1', invalidSize)
    expect(failed.body.errors[0].path).toEqual(['registerDevice', 'device', 'events'])
    expect(failed.body.errors[0].extensions).not.toHaveProperty('outcome')
    expect(await countDevices(user)).toBe(0)
  })
})

describe('an idempotency key', () => {
  it('is rejected if it was used with a different request', async () => {
    const user = await app.createUser()
    await sendWith(user, 'k1', register, { name: 'pump' })
    for (const [query, variables] of [
      [register, { name: 'other' }],
      [`${register} `, { name: 'pump' }],
    ] as const) {
      const { status, body } = await sendWith(user, 'k1', query, variables)
      expect(status).toBe(422)
      expect(body.errors[0].extensions).toEqual({ code: 'BAD_USER_INPUT', reason: 'idempotency-key-reused' })
    }
    expect(await countDevices(user)).toBe(1)
  })

  it('belongs to the access key that sent it', async () => {
    const [user, otherUser] = [await app.createUser(), await app.createUser()]
    const { key, secret } = (await user.data('mutation { createAccessKey { key secret } }')).createAccessKey
    const callers = [user, { keyId: key, secret }, otherUser]
    const ids = []
    for (const caller of callers) {
      const { body } = await sendWith(caller, 'k1', register, { name: 'pump' })
      ids.push(body.data.registerDevice.device.id)
    }
    expect(new Set(ids).size).toBe(3)
  })

  it.each(['abc', '"abc', '""', '"é"', '"a","b"', `"${'a'.repeat(256)}"`, 'a"b"', '"a\\b"'])(
    'is rejected if the header is %s',
    async (header) => {
      const { status, body } = await sendAs(
        { MUSTER_ACCESS_KEY_ID: app.owner.keyId, MUSTER_SECRET_ACCESS_KEY: app.owner.secret },
        app.url,
        { query: register, variables: { name: 'pump' } },
        { 'idempotency-key': Buffer.from(header).toString('latin1') },
      )
      expect(status).toBe(400)
      expect(body.errors[0].extensions).toEqual({ code: 'BAD_USER_INPUT', reason: 'idempotency-key-invalid' })
      expect(body.errors[0].message).toMatch(/^Idempotency-Key must/)
    },
  )

  it.each([
    ['a mutation that creates nothing', 'mutation { deleteDevices(deviceId: [], force: true) }'],
    ['two fields', 'mutation { a: registerDevice(name: "a") { secret } b: registerDevice(name: "b") { secret } }'],
  ])('is rejected for %s', async (_name, document) => {
    const user = await app.createUser()
    const { status, body } = await sendWith(user, 'k1', document)
    expect(status).toBe(400)
    expect(body.errors[0].extensions).toEqual({ code: 'BAD_USER_INPUT', reason: 'idempotency-key-unsupported' })
    expect(await countDevices(user)).toBe(0)
  })

  it('is sent by the client with each mutation that accepts it, except runBulk', async () => {
    const { body } = await sendWith(app.owner, 'k1', 'mutation { setAttributes(serviceId: "x", attributes: {}) }')
    const [, names] = /must be one of ([\w, ]+)/.exec(body.errors[0].message)!
    const sent = Object.keys(buildSchema().getMutationType()!.getFields()).filter(
      (name) => effectOf(`mutation { ${name} { id } }`) === 'creates',
    )
    expect([...sent, 'runBulk'].sort()).toEqual(names!.split(', ').sort())
  })

  it('is ignored for a query', async () => {
    expect((await sendWith(app.owner, 'k1', '{ login { email } }')).body.data.login.email).toBe(app.owner.email)
  })
})

describe('the limit on idempotency keys', () => {
  it("applies to an account's keys per day, but not to creations without a key", async () => {
    const user = await app.createUser()
    await sql`
      insert into idempotency_record (account_id, caller, key, fingerprint, created_kind, created_id, expires)
      select ${user.accountId}, 'c', number::text, '', 'device', 'x', now() + interval '1 hour'
      from generate_series(1, ${limits.idempotencyRecords}::int) as number`.execute(app.db)
    const { body } = await sendWith(user, 'k1', register, { name: 'pump' })
    expect(body.errors[0].extensions).toMatchObject({ code: 'LIMIT_EXCEEDED', limit: limits.idempotencyRecords })
    expect(await countDevices(user)).toBe(0)
    await user.data(register, { name: 'pump' })
    expect(await countDevices(user)).toBe(1)
  })
})

describe('a repeated request in a session', () => {
  it('receives the first response', async () => {
    const browser = await signIn(app, await newPerson(app))
    const create = () => browser.query(register, { name: 'pump' }, { headers: keyHeader('k1') })
    const first = await create()
    expect(first.body.data.registerDevice.device.name).toBe('pump')
    expect((await create()).body).toEqual(first.body)
  })
})

describe('a request to the REST API with an Idempotency-Key', () => {
  it('receives the same status, location, and body when it is repeated', async () => {
    const user = await app.createUser()
    const rest = restClient(app.url, user)
    const { device } = (await user.data(register, { name: 'pump' })).registerDevice
    const request = { body: { name: 'ssh', port: 22 }, unsignedHeaders: keyHeader(randomUUID()) }
    const first = await rest('POST', `/devices/${device.id}/services`, request)
    expect(first.status).toBe(201)
    const repeat = await rest('POST', `/devices/${device.id}/services`, request)
    expect([repeat.status, repeat.text]).toEqual([201, first.text])
    expect(repeat.headers.get('location')).toBe(first.headers.get('location'))
    const other = await rest('POST', `/devices/${device.id}/services`, { ...request, body: { name: 'http' } })
    expect([other.status, other.code]).toEqual([422, 'BAD_USER_INPUT'])
  })

  it('fails with the ID of the created object when it is repeated, if the response contains a secret', async () => {
    const user = await app.createUser()
    const request = { body: { name: 'laptop' }, unsignedHeaders: keyHeader(randomUUID()) }
    const rest = restClient(app.url, user)
    const first = await rest('POST', '/access-keys', request)
    expect(first.status).toBe(201)
    const repeat = await rest('POST', '/access-keys', request)
    expect(repeat.status).toBe(409)
    expect(repeat.body.errors[0].extensions.created).toEqual({ kind: 'access key', id: first.body.key })
  })

  it('is rejected if it creates nothing', async () => {
    const rest = restClient(app.url, app.owner)
    const { status, code } = await rest('DELETE', '/access-keys/MKAAAAAAAAAAAAAAAAAA', {
      unsignedHeaders: keyHeader('a'),
    })
    expect([status, code]).toEqual([400, 'BAD_USER_INPUT'])
  })
})
