import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { startTestApp, type TestApp, type TestUser } from '../harness/app.ts'
import { basic, type DeviceResponse, post } from '../clients/http-device.ts'
import { nextEvent, connectMqtt } from '../clients/mqtt-device.ts'
import type { Receiver } from '../harness/webhook-receiver.ts'
import {
  type Belongings,
  everyRowOf,
  giveBelongings,
  madeUpBelongings,
  receiversAllowed,
  startRefusingReceiver,
} from './belongings.ts'

let app: TestApp
let receiver: Receiver
let victim: Belongings
let victimUser: TestUser
let intruder: TestUser
let own: Belongings
let untouched: Record<string, unknown[]>

/** Each group of tests has one of its own: secrets that do not hold are counted by address, and here all come from one. */
function useApp(): void {
  beforeAll(async () => {
    receiver = await startRefusingReceiver()
    app = await startTestApp({ env: { ...receiversAllowed, MUSTER_PRESENCE_HOLD: '0' }, mqtt: true })
  })
  afterAll(async () => {
    await app.close()
    await receiver.close()
  })
  beforeEach(async () => {
    victimUser = await app.createUser()
    victim = await giveBelongings(victimUser, receiver)
    intruder = await app.createUser()
    own = await giveBelongings(intruder, receiver)
    untouched = await rowsOf(victim)
  })
}

/** Every row but access keys, which no device has and whose times of use are written some time after. */
async function rowsOf({ userId }: Belongings): Promise<Record<string, unknown[]>> {
  const { access_key: _keys, ...rows } = await everyRowOf(app.db, userId)
  return rows
}

const assertUntouched = async (): Promise<void> => expect(await rowsOf(victim)).toEqual(untouched)

/** A refusal without what names its request, and with what was asked for taken out. */
function outcomeOf({ status, body }: DeviceResponse, theirs: Belongings): unknown {
  let text = JSON.stringify({ status, errors: body.errors })
  for (const [name, value] of Object.entries(theirs)) text = text.replaceAll(value, `<${name}>`)
  return JSON.parse(text.replaceAll(/"requestId":"[^"]*"/g, '"requestId":""'))
}

const codeOf = ({ body }: DeviceResponse): unknown => body.errors?.[0]?.extensions.code

const secretOf = (theirs: Belongings): string => basic(theirs.device, theirs.deviceSecret)

describe('registering with a code of one’s own', () => {
  useApp()

  const register = (body: object, authorization?: string): Promise<DeviceResponse> =>
    post(app, 'register', body, authorization)

  it.each([
    ['without its secret', () => undefined],
    ['with its secret', () => secretOf(victim)],
    ['with its secret, once its owner has allowed it', () => secretOf(victim)],
  ])('a hardware id that another user has taken makes a device of the own account, %s', async (how, authorization) => {
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
  })

  it('a device of the own account is not taken over with the secret of another user’s', async () => {
    const before = await rowsOf(own)
    const request = { code: own.code, hardwareId: own.hardwareId }
    for (const authorization of [
      secretOf(victim),
      basic(own.device, victim.deviceSecret),
      basic(victim.device, own.deviceSecret),
    ]) {
      const answer = await register(request, authorization)
      expect([answer.status, codeOf(answer)]).toEqual([409, 'CONFLICT'])
    }
    expect(await rowsOf(own)).toEqual(before)
    await assertUntouched()
  })

  it('nothing that a user shows of a code is the code', async () => {
    const { login } = await victimUser.data('{ login { registrationCodes { id prefix name } } }')
    const { id, prefix, name } = login.registrationCodes[0]
    const { code: madeUp } = madeUpBelongings(own)
    const expected = outcomeOf(await register({ code: madeUp, hardwareId: 'x' }), own)
    for (const code of [id, prefix, name, victim.code.toLowerCase(), `${victim.code} `, prefix + madeUp.slice(6)])
      expect(outcomeOf(await register({ code, hardwareId: 'x' }), own)).toEqual(expected)
    await assertUntouched()
  })
})

describe('reporting', () => {
  useApp()

  it.each([
    ['another’s device with the own secret', () => basic(victim.device, own.deviceSecret)],
    ['the own device with another’s secret', () => basic(own.device, victim.deviceSecret)],
    ['another’s device with a secret made up', () => basic(victim.device, madeUpBelongings(own).deviceSecret)],
    ['another’s service with its device’s secret', () => basic(victim.service, victim.deviceSecret)],
    ['another’s user with its device’s secret', () => basic(victim.userId, victim.deviceSecret)],
  ])('is refused to %s as to a device that is none', async (_what, authorization) => {
    const before = await rowsOf(own)
    const answer = await post(app, 'report', { state: 'active', attributes: { x: 'y' } }, authorization())
    const nobodys = await post(app, 'report', { state: 'active' }, secretOf(madeUpBelongings(own)))
    expect(answer.status).toBe(401)
    expect(outcomeOf(answer, victim)).toEqual(outcomeOf(nobodys, victim))
    expect(await rowsOf(own)).toEqual(before)
    await assertUntouched()
  })

  it.each(['service', 'device'] as const)('finds no %s of another user’s, and then changes nothing', async (kind) => {
    const before = await rowsOf(own)
    const madeUp = madeUpBelongings(own)
    const parts = [{ state: 'active' }, { state: 'inactive' }, { attributes: { x: 'y' } }]
    for (const part of parts) {
      const report = (theirs: Belongings): Promise<DeviceResponse> => {
        const services = [
          { id: own.service, ...part },
          { id: theirs[kind], ...part },
        ]
        return post(app, 'report', { attributes: { x: 'y' }, services }, secretOf(own))
      }
      const answer = await report(victim)
      expect(codeOf(answer)).toBe('NOT_FOUND')
      expect(outcomeOf(answer, victim)).toEqual(outcomeOf(await report(madeUp), madeUp))
      expect(await rowsOf(own)).toEqual(before)
      await assertUntouched()
    }
  })

  it('the secret of a device is no key of the API', async () => {
    const headers = { 'content-type': 'application/json', authorization: secretOf(own) }
    const body = JSON.stringify({ query: '{ login { email } }' })
    for (const path of ['/graphql/v1', '/graphql/v1/stream']) {
      const response = await fetch(app.url + path, { method: 'POST', headers, body })
      expect([path, response.status >= 400 && response.status < 500]).toEqual([path, true])
      expect(await response.text()).not.toContain(intruder.email)
    }
  })
})

describe('over MQTT', () => {
  useApp()

  const url = (): string => `mqtt://127.0.0.1:${app.mqttPort}`
  const device = ({ device: id, deviceSecret: secret }: Belongings) => ({ id, secret })

  it('nobody signs on as another user’s device, and the device itself stays connected', async () => {
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
    // Written a moment after the sign-on.
    await vi.waitFor(async () => expect((await presence()).events).toEqual(active), { timeout: 60_000 })
    let isCut = false
    client.once('close', () => {
      isCut = true
    })
    await expect(connectMqtt(url(), { id, secret: own.deviceSecret })).rejects.toMatchObject({ code: 4 })
    await expect(connectMqtt(url(), device(own), { clientId: id })).rejects.toMatchObject({ code: 4 })
    await expect(connectMqtt(url(), device(own), { username: id })).rejects.toMatchObject({ code: 4 })
    await expect(connectMqtt(url(), { id: victim.service, secret: victim.deviceSecret })).rejects.toMatchObject({ code: 4 })
    await expect(connectMqtt(url(), { ...device(own), secret: victim.deviceSecret })).rejects.toMatchObject({ code: 4 })
    const will = { topic, payload: Buffer.from('{"x": "y"}'), qos: 1 as const, retain: false }
    await expect(connectMqtt(url(), device(own), { will })).rejects.toMatchObject({ code: 5 })
    await client.publishAsync(topic, '{"there": "yes"}', { qos: 1 })
    expect(isCut).toBe(false)
    const { attributes, events } = await presence()
    expect([attributes.there, attributes.x, events]).toEqual(['yes', undefined, active])
  })

  it.each([
    ['its topic', () => `devices/${victim.device}/attributes`, '{"x": "y"}'],
    ['its services', () => `devices/${victim.device}/services`, '[]'],
    ['its service', () => `devices/${victim.device}/services/${victim.service}/state`, 'active'],
    ['its answers', () => `devices/${victim.device}/services/ids`, '[]'],
    ['attributes of its service', () => `devices/${own.device}/services/${victim.service}/attributes`, '{"x": "y"}'],
    ['the state of its service', () => `devices/${own.device}/services/${victim.service}/state`, 'active'],
    ['its attributes as a service', () => `devices/${own.device}/services/${victim.device}/attributes`, '{"x": "y"}'],
    ['its state as a service', () => `devices/${own.device}/services/${victim.device}/state`, 'active'],
    ['the account', () => `devices/${own.device}/services/${victim.userId}/attributes`, '{"x": "y"}'],
  ])('publishing to %s ends the connection and changes nothing', async (_what, topicOf, payload) => {
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

  it('nothing of another user’s device is heard', async () => {
    const client = await connectMqtt(url(), device(own))
    const heard: string[] = []
    client.on('message', (topic) => heard.push(topic))
    const filters = [
      ...['#', '+/#', 'devices/#', 'devices/+/services/ids', '+/+/services/ids', '$SYS/#'],
      ...[`devices/${victim.device}/#`, `devices/${victim.device}/services/ids`, `+/${victim.device}/services/ids`],
    ]
    for (const filter of filters) await expect(client.subscribeAsync(filter, { qos: 1 })).rejects.toThrow()
    const ownTopic = `devices/${own.device}/services`
    await client.subscribeAsync(`${ownTopic}/ids`, { qos: 1 })

    const theirs = await connectMqtt(url(), device(victim))
    await theirs.publishAsync(`devices/${victim.device}/services`, '[{"name": "web"}]', { qos: 1 })
    const answered = nextEvent(client, 'message')
    await client.publishAsync(ownTopic, '[]', { qos: 1 })
    await answered
    expect(heard).toEqual([`${ownTopic}/ids`])
  })
})
