import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { basic, type DeviceResponse, post } from '../clients/http-device.ts'
import { connectMqtt, nextEvent } from '../clients/mqtt-device.ts'
import { startTestApp, type TestApp, type TestUser } from '../harness/app.ts'
import type { Receiver } from '../harness/webhook-receiver.ts'
import { allRowsOf } from './account-rows.ts'
import {
  allowLocalWebhooks,
  createOwnedObjects,
  nonexistentObjects,
  type OwnedObjects,
  startFailingReceiver,
  withPlaceholders,
} from './owned-objects.ts'

let app: TestApp
let receiver: Receiver
let victim: OwnedObjects
let victimUser: TestUser
let intruder: TestUser
let own: OwnedObjects
let untouched: Record<string, unknown[]>

/**
 * Starts a separate server for each group of tests. A server counts invalid secrets by address, and all tests share one
 * address.
 */
function useApp(): void {
  beforeAll(async () => {
    receiver = await startFailingReceiver()
    app = await startTestApp({ env: { ...allowLocalWebhooks, MUSTER_PRESENCE_HOLD: '0' }, mqtt: true })
  })
  afterAll(async () => {
    await app.close()
    await receiver.close()
  })
  beforeEach(async () => {
    victimUser = await app.createUser()
    victim = await createOwnedObjects(victimUser, receiver)
    intruder = await app.createUser()
    own = await createOwnedObjects(intruder, receiver)
    untouched = await rowsOf(victim)
  })
}

/**
 * Returns the user's rows. Omits keys and their uses, which the server records with a delay. Also omits samples of
 * online devices, which a job adds.
 */
async function rowsOf({ userId }: OwnedObjects): Promise<Record<string, unknown[]>> {
  const { access_key: _keys, presence_sample: _samples, key_use: _use, ...rows } = await allRowsOf(app.db, userId)
  return rows
}

const assertUntouched = async (): Promise<void> => expect(await rowsOf(victim)).toEqual(untouched)

/** Returns an error response without its request ID, and with placeholders for the IDs and names in `theirs`. */
function outcomeOf({ status, body }: DeviceResponse, theirs: OwnedObjects): unknown {
  const text = JSON.stringify(withPlaceholders({ status, errors: body.errors }, theirs))
  return JSON.parse(text.replaceAll(/"requestId":"[^"]*"/g, '"requestId":""'))
}

const codeOf = ({ body }: DeviceResponse): unknown => body.errors?.[0]?.extensions.code

const secretOf = (theirs: OwnedObjects): string => basic(theirs.device, theirs.deviceSecret)

describe('registering a device with a code', () => {
  useApp()

  const register = (body: object, authorization?: string): Promise<DeviceResponse> =>
    post(app, 'register', body, authorization)

  it.each([
    ['without its secret', () => undefined],
    ['with its secret', () => secretOf(victim)],
    ['with its secret, after its owner allowed it', () => secretOf(victim)],
  ])(
    "creates a device in the code's account if another user's device has the same hardware ID, %s",
    async (how, authorization) => {
      if (how.includes('allowed')) {
        await victimUser.data(`mutation { rotateDeviceSecret(deviceId: "${victim.device}", allow: true) { secret } }`)
        untouched = await rowsOf(victim)
      }
      const { status, body } = await register({ code: own.code, hardwareId: victim.hardwareId }, authorization())
      expect(status).toBe(200)
      expect(body.deviceId).not.toBe(victim.device)
      const { login } = await intruder.data(`{ login { device(id: "${body.deviceId}") { hardwareId owner { id } } } }`)
      expect(login.device).toEqual([{ hardwareId: victim.hardwareId, owner: { id: own.userId } }])
      await assertUntouched()
    },
  )

  it("does not replace a device in exchange for the secret of another user's device", async () => {
    const before = await rowsOf(own)
    const request = { code: own.code, hardwareId: own.hardwareId }
    for (const authorization of [
      secretOf(victim),
      basic(own.device, victim.deviceSecret),
      basic(victim.device, own.deviceSecret),
    ]) {
      const response = await register(request, authorization)
      expect([response.status, codeOf(response)]).toEqual([409, 'CONFLICT'])
    }
    expect(await rowsOf(own)).toEqual(before)
    await assertUntouched()
  })

  it('rejects the ID, prefix, and name of a code, and a changed code', async () => {
    const { login } = await victimUser.data('{ login { registrationCodes { id prefix name } } }')
    const { id, prefix, name } = login.registrationCodes[0]
    const { code: nonexistent } = nonexistentObjects(own)
    const expected = outcomeOf(await register({ code: nonexistent, hardwareId: 'x' }), own)
    for (const code of [id, prefix, name, victim.code.toLowerCase(), `${victim.code} `, prefix + nonexistent.slice(6)])
      expect(outcomeOf(await register({ code, hardwareId: 'x' }), own)).toEqual(expected)
    await assertUntouched()
  })
})

describe('reporting for a device', () => {
  useApp()

  it.each([
    ["another user's device with the caller's secret", () => basic(victim.device, own.deviceSecret)],
    ["the caller's device with another user's secret", () => basic(own.device, victim.deviceSecret)],
    ["another user's device with a random secret", () => basic(victim.device, nonexistentObjects(own).deviceSecret)],
    ["another user's service with the secret of its device", () => basic(victim.service, victim.deviceSecret)],
    ["another user's ID with the secret of a device", () => basic(victim.userId, victim.deviceSecret)],
  ])('treats %s like a nonexistent device', async (_what, authorization) => {
    const before = await rowsOf(own)
    const response = await post(app, 'report', { state: 'active', attributes: { x: 'y' } }, authorization())
    const nonexistent = await post(app, 'report', { state: 'active' }, secretOf(nonexistentObjects(own)))
    expect(response.status).toBe(401)
    expect(outcomeOf(response, victim)).toEqual(outcomeOf(nonexistent, victim))
    expect(await rowsOf(own)).toEqual(before)
    await assertUntouched()
  })

  it.each(['service', 'device'] as const)("neither finds nor changes another user's %s", async (kind) => {
    const before = await rowsOf(own)
    const nonexistent = nonexistentObjects(own)
    const parts = [{ state: 'active' }, { state: 'inactive' }, { attributes: { x: 'y' } }]
    for (const part of parts) {
      const report = (theirs: OwnedObjects): Promise<DeviceResponse> => {
        const services = [
          { id: own.service, ...part },
          { id: theirs[kind], ...part },
        ]
        return post(app, 'report', { attributes: { x: 'y' }, services }, secretOf(own))
      }
      const response = await report(victim)
      expect(codeOf(response)).toBe('NOT_FOUND')
      expect(outcomeOf(response, victim)).toEqual(outcomeOf(await report(nonexistent), nonexistent))
      expect(await rowsOf(own)).toEqual(before)
      await assertUntouched()
    }
  })

  it('uses a secret that the GraphQL API rejects', async () => {
    const headers = { 'content-type': 'application/json', authorization: secretOf(own) }
    const body = JSON.stringify({ query: '{ login { email } }' })
    for (const path of ['/graphql/v1', '/graphql/v1/stream']) {
      const response = await fetch(app.url + path, { method: 'POST', headers, body })
      expect([path, response.status >= 400 && response.status < 500]).toEqual([path, true])
      expect(await response.text()).not.toContain(intruder.email)
    }
  })
})

describe('connecting a device over MQTT', () => {
  useApp()

  const url = (): string => `mqtt://127.0.0.1:${app.mqttPort}`
  const device = ({ device: id, deviceSecret: secret }: OwnedObjects) => ({ id, secret })

  it("rejects other devices' credentials, and keeps the device connected", async () => {
    const client = await connectMqtt(url(), device(victim))
    const topic = `devices/${victim.device}/attributes`
    const { device: id } = victim
    const presence = async () =>
      (
        await victimUser.data(
          `{ login { device(id: "${id}") { attributes events(types: DEVICE_STATE) { items { state } } } } }`,
        )
      ).login.device[0]
    const active = { items: [{ state: 'active' }] }
    // The server writes the event shortly after the device connects.
    await vi.waitFor(async () => expect((await presence()).events).toEqual(active), { timeout: 60_000 })
    let isDisconnected = false
    client.once('close', () => {
      isDisconnected = true
    })
    await expect(connectMqtt(url(), { id, secret: own.deviceSecret })).rejects.toMatchObject({ code: 4 })
    await expect(connectMqtt(url(), device(own), { clientId: id })).rejects.toMatchObject({ code: 4 })
    await expect(connectMqtt(url(), device(own), { username: id })).rejects.toMatchObject({ code: 4 })
    await expect(connectMqtt(url(), { id: victim.service, secret: victim.deviceSecret })).rejects.toMatchObject({
      code: 4,
    })
    await expect(connectMqtt(url(), { ...device(own), secret: victim.deviceSecret })).rejects.toMatchObject({ code: 4 })
    const will = { topic, payload: Buffer.from('{"x": "y"}'), qos: 1 as const, retain: false }
    await expect(connectMqtt(url(), device(own), { will })).rejects.toMatchObject({ code: 5 })
    await client.publishAsync(topic, '{"there": "yes"}', { qos: 1 })
    expect(isDisconnected).toBe(false)
    const { attributes, events } = await presence()
    expect([attributes.there, attributes.x, events]).toEqual(['yes', undefined, active])
  })

  it.each([
    ["another device's attributes", () => `devices/${victim.device}/attributes`, '{"x": "y"}'],
    ["another device's services", () => `devices/${victim.device}/services`, '[]'],
    ["another device's service", () => `devices/${victim.device}/services/${victim.service}/state`, 'active'],
    ["another device's responses", () => `devices/${victim.device}/services/ids`, '[]'],
    [
      "its own topic for attributes, with another device's service",
      () => `devices/${own.device}/services/${victim.service}/attributes`,
      '{"x": "y"}',
    ],
    [
      "its own topic for states, with another device's service",
      () => `devices/${own.device}/services/${victim.service}/state`,
      'active',
    ],
    [
      "its own topic for attributes, with another device's ID",
      () => `devices/${own.device}/services/${victim.device}/attributes`,
      '{"x": "y"}',
    ],
    [
      "its own topic for states, with another device's ID",
      () => `devices/${own.device}/services/${victim.device}/state`,
      'active',
    ],
    [
      'its own topic for attributes, with the ID of another account',
      () => `devices/${own.device}/services/${victim.userId}/attributes`,
      '{"x": "y"}',
    ],
  ])('disconnects a device that publishes to %s, and changes nothing', async (_what, topicOf, payload) => {
    const client = await connectMqtt(url(), device(own))
    const closed = nextEvent(client, 'close')
    let isAcknowledged = false
    client.publish(topicOf(), payload, { qos: 1 }, (error) => {
      isAcknowledged = error == null
    })
    await closed
    await sleep(100)
    expect(isAcknowledged).toBe(false)
    await assertUntouched()
  })

  it("delivers no messages from another user's device", async () => {
    const client = await connectMqtt(url(), device(own))
    const received: string[] = []
    client.on('message', (topic) => received.push(topic))
    const filters = [
      ...['#', '+/#', 'devices/#', 'devices/+/services/ids', '+/+/services/ids', '$SYS/#'],
      ...[`devices/${victim.device}/#`, `devices/${victim.device}/services/ids`, `+/${victim.device}/services/ids`],
    ]
    for (const filter of filters) await expect(client.subscribeAsync(filter, { qos: 1 })).rejects.toThrow()
    const ownTopic = `devices/${own.device}/services`
    await client.subscribeAsync(`${ownTopic}/ids`, { qos: 1 })

    const theirs = await connectMqtt(url(), device(victim))
    await theirs.publishAsync(`devices/${victim.device}/services`, '[{"name": "web"}]', { qos: 1 })
    const responded = nextEvent(client, 'message')
    await client.publishAsync(ownTopic, '[]', { qos: 1 })
    await responded
    expect(received).toEqual([`${ownTopic}/ids`])
  })
})
