import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { newPerson, signIn } from '../../../test/clients/browser.ts'
import { connectMqtt, nextEvent, registerDevice } from '../../../test/clients/mqtt-device.ts'
import { sharedTestApp, type TestUser } from '../../../test/harness/app.ts'

const app = sharedTestApp({ mqtt: true, env: { MUSTER_PRESENCE_HOLD: '0' } })

const document = `query ($types: [EventType!]) {
  login { events(types: $types) { items { type actor { email } source { kind id name user { email } } } } } }`

async function newestOf(user: TestUser, type: string) {
  const { login } = await user.data(document, { types: [type] })
  return login.events.items[0]
}

const createKey = 'mutation ($name: String) { createAccessKey(name: $name) { key } }'
const set = `mutation ($id: String!, $context: String) {
  setAttribute(serviceId: $id, name: "site", value: "oslo", context: $context) }`

it('reports the access key with the name that it had at the time of the event', async () => {
  const user = await app.createUser()
  const { id } = await registerDevice(user)
  const [key] = await app.db.selectFrom('access_key').selectAll().where('account_id', '=', user.accountId).execute()
  const source = { kind: 'accessKey', id: user.keyId, name: key!.name, user: { email: user.email } }
  expect(await newestOf(user, 'DEVICE_REGISTER')).toMatchObject({ source, actor: { email: user.email } })
  for (const context of [null, 'night']) {
    await user.data(set, { id, context })
    expect((await newestOf(user, 'ATTRIBUTE_CHANGE')).source).toEqual(source)
  }
  await user.data('mutation ($id: String!) { reportState(serviceId: $id, state: "active", ttl: 60) }', { id })
  expect((await newestOf(user, 'DEVICE_STATE')).source.id).toBe(user.keyId)
  await user.data(createKey, { name: 'second' })
  await user.data('mutation ($key: String!) { updateAccessKey(key: $key, name: "renamed") { name } }', {
    key: user.keyId,
  })
  expect((await newestOf(user, 'ACCESS_KEY_CREATE')).source).toEqual(source)
})

it('reports the access key of each write if several writes share a commit', async () => {
  const user = await app.createUser()
  const devices = await Promise.all(Array.from({ length: 20 }, () => registerDevice(user)))
  await Promise.all(devices.map(({ id }) => user.data(set, { id })))
  const { login } = await user.data(document, { types: ['ATTRIBUTE_CHANGE'] })
  expect(login.events.items).toHaveLength(20)
  for (const { source } of login.events.items) expect(source.id).toBe(user.keyId)
})

it('reports the console and the signed-in user for changes made in the console', async () => {
  const person = await newPerson(app)
  const browser = await signIn(app, person)
  await browser.query('mutation { registerDevice(name: "gateway") { device { id } } }')
  const { body } = await browser.query(document)
  const sources = body.data.login.events.items.map(({ type, source }: { type: string; source: unknown }) => [
    type,
    source,
  ])
  const source = { kind: 'console', id: null, name: null, user: { email: person.email } }
  expect(sources).toEqual([
    ['DEVICE_REGISTER', source],
    ['AUTH_LOGIN', source],
  ])
})

it('reports the device, without a user, for events that its connection or its reports cause', async () => {
  const user = await app.createUser()
  const device = await registerDevice(user, 'camera')
  const source = { kind: 'device', id: device.id, name: 'camera', user: null }
  const client = await connectMqtt(`mqtt://127.0.0.1:${app.mqttPort}`, device)
  await client.publishAsync(`devices/${device.id}/attributes`, '{"firmware": "1"}', { qos: 1 })
  expect(await newestOf(user, 'ATTRIBUTE_CHANGE')).toMatchObject({ source, actor: null })
  await expect.poll(() => newestOf(user, 'DEVICE_STATE')).toMatchObject({ source, actor: null })
  const closed = nextEvent(client, 'close')
  client.end()
  await closed
})

it('reports the kind unknown and the actor for events without a source', async () => {
  const user = await app.createUser()
  await registerDevice(user)
  await sql`update event set source = null where account_id = ${user.accountId}`.execute(app.db)
  expect(await newestOf(user, 'DEVICE_REGISTER')).toMatchObject({
    actor: { email: user.email },
    source: { kind: 'unknown', id: null, name: null, user: { email: user.email } },
  })
})
