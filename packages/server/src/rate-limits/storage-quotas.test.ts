import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { registrationClient } from '../../test/api/device-registration.ts'
import { basic, errorOf, post } from '../../test/clients/http-device.ts'
import { connectMqtt, type RegisteredDevice, registerDevice } from '../../test/clients/mqtt-device.ts'
import { startTestApp, type TestApp, type TestUser } from '../../test/harness/app.ts'

const DEVICE_BYTES = 65_536
const ACCOUNT_BYTES = 5 * 1024 * 1024
const DAY_MS = 86_400_000

/** The clock advances only when a test advances it, so the quota is refilled only then. */
const clock = { now: 0 }
let app: TestApp
let user: TestUser
beforeAll(async () => {
  const env = {
    MUSTER_DEVICE_BYTES_PER_DAY: String(DEVICE_BYTES),
    MUSTER_ACCOUNT_BYTES_PER_DAY: String(ACCOUNT_BYTES),
  }
  app = await startTestApp({ elapsed: () => clock.now, env, mqtt: true, sharesRateLimits: true })
})
beforeEach(async () => {
  user = await app.createUser()
})
afterAll(() => app.close())

const newValue = (): string => randomBytes(7_500).toString('hex')

const report = ({ id, secret }: RegisteredDevice, value: string) =>
  post(app, 'report', { attributes: { value } }, basic(id, secret))

const setValue = `mutation ($id: String!, $value: String) { setAttribute(serviceId: $id, name: "value", value: $value) }`

describe('the storage quota of a device', () => {
  test('is refilled within a day, and does not affect other devices', async () => {
    const [greedy, modest] = [await registerDevice(user, 'greedy'), await registerDevice(user, 'modest')]
    for (let time = 0; time < 4; time++) expect((await report(greedy, newValue())).status).toBe(200)
    const rejected = await report(greedy, newValue())
    const left = DEVICE_BYTES - 4 * (15_000 + 'value'.length + 200)
    const seconds = Math.ceil((15_205 - left) / (DEVICE_BYTES / 86_400))
    const message = `a device may store 65536 bytes per day, of which ${left} remain: this write needs 15205 bytes; retry in ${seconds} seconds`
    expect(errorOf(rejected)).toEqual([429, 'RATE_LIMITED', message])
    expect(rejected.headers.get('retry-after')).toBe(String(seconds))
    expect((await report(modest, newValue())).status).toBe(200)
    clock.now += DAY_MS
    expect((await report(greedy, newValue())).status).toBe(200)
  })

  test('is not charged for unchanged values', async () => {
    const device = await registerDevice(user)
    const value = newValue()
    for (let time = 0; time < 10; time++) expect((await report(device, value)).status).toBe(200)
  })

  test('disconnects a device that publishes more, but keeps its acknowledged values', async () => {
    const [greedy, modest] = [await registerDevice(user, 'greedy'), await registerDevice(user, 'modest')]
    const url = `mqtt://127.0.0.1:${app.mqttPort}`
    const [client, other] = [await connectMqtt(url, greedy), await connectMqtt(url, modest)]
    const publish = (device: RegisteredDevice, by: typeof client, value: string) =>
      by.publishAsync(`devices/${device.id}/attributes`, JSON.stringify({ value }), { qos: 1 })
    let last = ''
    for (let time = 0; time < 4; time++) {
      last = newValue()
      await publish(greedy, client, last)
    }
    const closed = new Promise<void>((resolve) => client.once('close', () => resolve()))
    publish(greedy, client, newValue()).catch(() => {})
    await closed
    const value = newValue()
    await publish(modest, other, value)
    const { login } = await user.data(
      'query ($id: [String!]!) { login { device(id: $id) { attribute(name: "value") } } }',
      { id: [greedy.id, modest.id] },
    )
    expect(login.device.map((device: { attribute: string }) => device.attribute)).toEqual([last, value])
    const metrics = await (await fetch(`${app.url}/metrics`)).text()
    expect(metrics).toMatch(/muster_rate_limited_total\{policy="device-bytes"\} [1-9]/)
    expect(metrics).toContain('muster_mqtt_refusals_total{reason="RATE_LIMITED"}')
  })

  test('is charged for the services that the device lists', async () => {
    const device = await registerDevice(user)
    const client = await connectMqtt(`mqtt://127.0.0.1:${app.mqttPort}`, device)
    const services = Array.from({ length: 100 }, (_, index) => ({ name: `${index} ${'x'.repeat(90)}` }))
    const list = () => client.publishAsync(`devices/${device.id}/services`, JSON.stringify(services), { qos: 1 })
    await list()
    await list()
    const closed = new Promise<void>((resolve) => client.once('close', () => resolve()))
    list().catch(() => {})
    await closed
  })
})

describe('the storage quota of an account', () => {
  /** Uses most of the quota. The request contains the values once, but the server counts them for each item. */
  async function storeMuch(by = user): Promise<void> {
    const { id } = await registerDevice(by, 'full')
    const items = Array.from({ length: 75 }, () => '{ serviceId: $id, attributes: $attributes }').join(' ')
    const document = `mutation ($id: String!, $attributes: Object!) { setAttributesMany(items: [${items}]) { code } }`
    const attributes = Object.fromEntries(['a', 'b', 'c', 'd'].map((name) => [name, newValue()]))
    await by.data(document, { id, attributes })
  }

  test('limits changes through mutations and devices together', async () => {
    const device = await registerDevice(user)
    await storeMuch()
    const outcomes: (string | undefined)[] = []
    for (let time = 0; time < 60; time++) {
      const { errors } = await user.query(setValue, { id: device.id, value: newValue() })
      outcomes.push(errors?.[0]?.extensions.code)
    }
    const allowed = outcomes.indexOf('RATE_LIMITED')
    expect(allowed).toBeGreaterThan(0)
    expect(outcomes).toEqual([...Array(allowed).fill(undefined), ...Array(60 - allowed).fill('RATE_LIMITED')])
    const rejected = await user.query(setValue, { id: device.id, value: newValue() })
    expect([rejected.status, Number(rejected.headers.get('retry-after'))]).toEqual([429, expect.any(Number)])
    expect(rejected.errors?.[0]?.message).toMatch(
      /^an account may store 5242880 bytes per day, of which \d+ remain: this write needs 152\d\d bytes/,
    )
    expect(errorOf(await report(device, newValue()))).toEqual([
      429,
      'RATE_LIMITED',
      expect.stringMatching(/^an account may store /),
    ])
    // Queries still work and report the usage, and other accounts are not affected.
    const { login } = await user.data('{ login { limits { name value used } } }')
    expect(login.limits).toContainEqual({ name: 'deviceMebibytesPerDay', value: 0, used: null })
    expect(login.limits).toContainEqual({ name: 'accountMebibytesPerDay', value: 5, used: 4 })
    const another = await app.createUser()
    const mine = await registerDevice(another)
    expect((await another.query(setValue, { id: mine.id, value: newValue() })).errors).toBeUndefined()
    clock.now += DAY_MS
    expect((await user.query(setValue, { id: device.id, value: newValue() })).errors).toBeUndefined()
  })

  test("is charged for devices that register with the account's registration codes", async () => {
    const owned = { ...app, owner: user }
    const { code } = await registrationClient(owned).newCode()
    const device = await registerDevice(user)
    await storeMuch()
    for (;;) if ((await user.query(setValue, { id: device.id, value: newValue() })).errors !== undefined) break
    for (;;) if ((await user.query(setValue, { id: device.id, value: 'x'.repeat(700) })).errors !== undefined) break
    const services = Array.from({ length: 50 }, (_, index) => ({ name: `service ${index}` }))
    const rejected = await post(app, 'register', { code, hardwareId: 'many services', services })
    expect(errorOf(rejected).slice(0, 2)).toEqual([429, 'RATE_LIMITED'])
  })

  test('is shared by all servers that use the same database', async () => {
    const other = await app.startAnother({
      elapsed: () => clock.now,
      env: { MUSTER_ACCOUNT_BYTES_PER_DAY: String(ACCOUNT_BYTES) },
      sharesRateLimits: true,
    })
    try {
      const usedBy = async (account: TestUser) => {
        const { login } = await other.as(account).data('{ login { limits { name used } } }')
        return login.limits.find(({ name }: { name: string }) => name === 'accountMebibytesPerDay').used
      }
      // The other server subscribes to reports in the background, and misses earlier reports. A server reports each
      // usage only once, so each attempt uses the quota of another account.
      await vi.waitFor(
        async () => {
          const account = await app.createUser()
          await storeMuch(account)
          await vi.waitFor(async () => expect(await usedBy(account)).toBe(4), { timeout: 5_000, interval: 100 })
        },
        { timeout: 60_000, interval: 100 },
      )
    } finally {
      await other.close()
    }
  })
})
