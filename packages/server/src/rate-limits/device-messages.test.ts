import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { basic, errorOf, post } from '../../test/clients/http-device.ts'
import { connectMqtt, registerDevice } from '../../test/clients/mqtt-device.ts'
import { startTestApp, type TestApp } from '../../test/harness/app.ts'

/** The clock advances only when a test advances it, so the quota is refilled only then. */
const clock = { now: 0 }
let app: TestApp
beforeAll(async () => {
  const env = { MUSTER_DEVICE_MESSAGES: '3', MUSTER_DEVICE_MESSAGES_PER_SECOND: '10' }
  app = await startTestApp({ elapsed: () => clock.now, env, mqtt: true })
})
afterAll(() => app.close())

describe('a device with a message quota', () => {
  test('can send a burst of reports, and then the configured number per second', async () => {
    const { id, secret } = await registerDevice(app.owner)
    const report = () => post(app, 'report', { state: 'active' }, basic(id, secret))
    const reports = [await report(), await report(), await report(), await report()]
    expect(reports.map(({ status }) => status)).toEqual([200, 200, 200, 429])
    const rejected = reports[3]!
    expect(rejected.headers.get('ratelimit-policy')).toBe('"device";q=3;w=1')
    expect(rejected.headers.get('retry-after')).toBe('1')
    const message = 'a device may send a burst of 3 messages, and then 10 per second; retry in 1 second'
    expect(errorOf(rejected)).toEqual([429, 'RATE_LIMITED', message])
    clock.now += 100
    expect((await report()).status).toBe(200)
  })

  test('is slowed down over MQTT without changing the order of its messages', async () => {
    const device = await registerDevice(app.owner)
    const client = await connectMqtt(`mqtt://127.0.0.1:${app.mqttPort}`, device)
    const publish = (value: number) =>
      client.publishAsync(`devices/${device.id}/attributes`, `{"value": "${value}"}`, { qos: 1 })
    const value = async () => {
      const document = 'query ($id: [String!]!) { login { device(id: $id) { attribute(name: "value") } } }'
      return (await app.owner.data(document, { id: [device.id] })).login.device[0].attribute
    }
    const published = [publish(1), publish(2), publish(3), publish(4), publish(5)]
    await Promise.all(published.slice(0, 3))
    const slowedDown = 'muster_mqtt_refusals_total{reason="too many messages: slowed down"}'
    await vi.waitFor(async () => expect(await (await fetch(`${app.url}/metrics`)).text()).toContain(slowedDown), {
      timeout: 60_000,
    })
    expect(await value()).toBe('3')
    clock.now += 200
    await Promise.all(published)
    expect(await value()).toBe('5')
  })

  test('publishes its will even if its quota is used up', async () => {
    const device = await registerDevice(app.owner)
    const topic = `devices/${device.id}/attributes`
    const will = { topic, payload: Buffer.from('{"will": "said"}'), qos: 1 as const }
    const client = await connectMqtt(`mqtt://127.0.0.1:${app.mqttPort}`, device, { will })
    for (const value of [1, 2, 3]) await client.publishAsync(topic, `{"value": "${value}"}`, { qos: 1 })
    client.stream.destroy()
    const stored = async () =>
      (await app.db.selectFrom('device').select('attributes').where('id', '=', device.id).execute())[0]
    await vi.waitFor(async () => expect(await stored()).toEqual({ attributes: { value: '3', will: 'said' } }), {
      timeout: 60_000,
    })
  })
})
