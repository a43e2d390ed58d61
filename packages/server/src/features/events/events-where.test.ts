import { beforeAll, expect, it } from 'vitest'
import { sharedTestApp, type TestUser } from '../../../test/harness/app.ts'

const app = sharedTestApp()
let user: TestUser
let [gate, pump]: string[] = []

beforeAll(async () => {
  user = await app.createUser()
  const register = async (name: string, attributes: object): Promise<string> => {
    const document =
      'mutation ($name: String!, $attributes: Object) { registerDevice(name: $name, attributes: $attributes) { device { id } } }'
    return (await user.data(document, { name, attributes })).registerDevice.device.id
  }
  gate = await register('gate', { site: 'oslo' })
  pump = await register('pump', { site: 'riga' })
  const set =
    'mutation ($id: String!, $name: String!, $value: String, $context: String) { setAttribute(serviceId: $id, name: $name, value: $value, context: $context) }'
  await user.data(set, { id: gate, name: 'site', value: 'bergen' })
  await user.data(set, { id: gate, name: 'net.ssid', value: 'lab', context: 'night' })
  await user.data('mutation ($id: String!) { reportState(serviceId: $id, state: "active") }', { id: pump })
  await user.data('mutation { createWebhook(url: "https://example.com/", name: "alerts", enabled: false) { id } }')
})

async function find(where: string, more: Record<string, unknown> = {}): Promise<string[]> {
  const document = `query ($where: String, $view: ID, $context: String, $now: DateTime) { login {
    events(where: $where, view: $view, context: $context, now: $now) { items { type target { name } } total } } }`
  const { login } = await user.data(document, { where, ...more })
  expect(login.events.total, where).toBe(login.events.items.length)
  return login.events.items
    .map(({ type, target }: { type: string; target: { name: string }[] }) => `${type} ${target[0]?.name}`)
    .reverse()
}

const ofGate = ['DEVICE_REGISTER gate', 'ATTRIBUTE_CHANGE gate', 'ATTRIBUTE_CHANGE gate']

it('finds events by their fields', async () => {
  expect(await find('type = DEVICE_REGISTER')).toEqual(['DEVICE_REGISTER gate', 'DEVICE_REGISTER pump'])
  expect(await find('type:webhook')).toEqual(['WEBHOOK_CREATE alerts'])
  expect(await find('state = active')).toEqual(['DEVICE_STATE pump'])
  expect(await find('state:* AND NOT state = inactive')).toEqual(['DEVICE_STATE pump'])
  expect(await find('changed = site')).toEqual(['ATTRIBUTE_CHANGE gate'])
  expect(await find('changed:(site OR ssid)')).toEqual(['ATTRIBUTE_CHANGE gate', 'ATTRIBUTE_CHANGE gate'])
  expect(await find('context = night')).toEqual(['ATTRIBUTE_CHANGE gate'])
  // The random ID of the user's access key can also contain `gat`.
  expect(await find('gat AND target.kind = device')).toEqual(ofGate)
  expect(await find('target.name = gate AND target.kind = device')).toEqual(ofGate)
  expect(await find(`target.id = (${gate} OR ${pump}) AND type = DEVICE_STATE`)).toEqual(['DEVICE_STATE pump'])
  expect(await find('timestamp > -1h AND type = WEBHOOK_CREATE')).toEqual(['WEBHOOK_CREATE alerts'])
  expect(await find('timestamp > -1h', { now: '2126-01-01T00:00:00Z' })).toEqual([])
  const all = await find('id:*')
  expect([...(await find('changed:*')), ...(await find('NOT changed:*'))].sort()).toEqual([...all].sort())
  expect(await find('job:* OR id = 999999999999999999')).toEqual([])
})

it('finds events by the user and the access key that caused them', async () => {
  const byKey = await find(`key = ${user.keyId}`)
  expect(byKey).toContain('WEBHOOK_CREATE alerts')
  // State reports have no actor.
  const byPerson = byKey.filter((event) => event !== 'DEVICE_STATE pump')
  expect(await find(`actor = ${user.accountId} AND key:*`)).toEqual(byPerson)
  expect(await find(`actor = "${user.email.toUpperCase()}" AND key:*`)).toEqual(byPerson)
  expect(await find('key:* AND NOT actor:*')).toEqual(['DEVICE_STATE pump'])
  expect(await find('source = accessKey')).toEqual(byKey)
  expect(await find('source = (console OR device OR job) OR source = unknown')).toEqual([])
  expect(await find('source:* AND source != accessKey')).toEqual(await find('source = server'))
})

it("finds events by the current values of the event's device", async () => {
  expect(await find('device.site = bergen')).toEqual(ofGate)
  expect(await find('device.site = oslo')).toEqual([])
  expect(await find('device.net.ssid = lab')).toEqual([])
  expect(await find('device.net.ssid = lab', { context: 'night' })).toEqual(ofGate)
  expect(await find('device.state = active AND type = DEVICE_STATE')).toEqual(['DEVICE_STATE pump'])
  expect(await find(`device.id = ${gate} AND changed = site`)).toEqual(['ATTRIBUTE_CHANGE gate'])
  expect(await find('type:webhook AND NOT device.site = bergen')).toEqual(['WEBHOOK_CREATE alerts'])
})

it('applies a view of events, and rejects views of devices and invalid filters', async () => {
  const create = async (kind: string, where: string): Promise<string> => {
    const document =
      'mutation ($name: String!, $kind: FilterKind!, $where: String) { createView(name: $name, kind: $kind, where: $where) { id } }'
    return (await user.data(document, { name: `${kind} view`, kind, where })).createView.id
  }
  const view = await create('EVENTS', 'type = ATTRIBUTE_CHANGE')
  expect(await find('changed = site', { view })).toEqual(['ATTRIBUTE_CHANGE gate'])
  const devices = await create('DEVICES', 'name:gate')
  const attempt = async (variables: Record<string, unknown>) => {
    const document = 'query ($where: String, $view: ID) { login { events(where: $where, view: $view) { total } } }'
    const [error] = (await user.query(document, variables)).errors ?? []
    return [error?.extensions?.code, error?.message]
  }
  expect(await attempt({ view: devices })).toEqual(['BAD_USER_INPUT', expect.stringContaining('lists devices')])
  expect(await attempt({ where: 'typ = DEVICE_STATE' })).toEqual(['BAD_USER_INPUT', expect.stringContaining('type')])
  expect(await attempt({ where: 'type = DEVICE_STAT' })).toEqual([
    'BAD_USER_INPUT',
    expect.stringContaining('DEVICE_STATE'),
  ])
  expect(await attempt({ where: 'device.sit = oslo' })).toEqual(['BAD_USER_INPUT', expect.stringContaining('site')])
})
