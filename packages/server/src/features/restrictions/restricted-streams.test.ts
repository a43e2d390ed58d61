import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { EVENTS, eventsOf, openTestStream, type RawStream, until } from '../../../test/clients/event-stream.ts'
import { forbiddenAttribute, newUserWithHiddenValues } from '../../../test/factories/hidden-values.ts'
import { failure, type Json, keyOf, NOTIFIED, sendAsUser } from '../../../test/factories/keys.ts'
import { sharedTestApp, type TestApp, type TestUser } from '../../../test/harness/app.ts'

const app = sharedTestApp()
let other: TestApp
beforeAll(async () => {
  other = await app.startAnother()
})
afterAll(() => other.close())

let user: TestUser
let oslo: TestUser
let near: string
let far: string
beforeEach(async () => {
  user = await app.createUser()
  near = await register('near', { site: 'oslo', only_near: 'x', version: '1.2.3' })
  far = await register('far', { site: 'bergen', only_far: 'x' })
  oslo = await keyOf(app, sendAsUser(user), 'access: { where: "site = oslo" }')
})

async function register(name: string, attributes: Record<string, string>): Promise<string> {
  const { registerDevice } = await user.data(
    'mutation ($name: String!, $attributes: Object) { registerDevice(name: $name, attributes: $attributes) { device { id } } }',
    { name, attributes },
  )
  return registerDevice.device.id
}

const set = (id: string, name: string, value: string, context?: string): Promise<Json> =>
  user.data(
    `mutation ($context: String) { setAttribute(serviceId: "${id}", name: "${name}", value: "${value}", context: $context) }`,
    { context },
  )

const namesIn = (stream: RawStream): string[] => eventsOf(stream).map(({ target }: Json) => target[0].name)

describe('a stream of a restricted key', () => {
  it.each(['on this server', 'on another server'])(
    'contains only events of devices inside the restriction, %s',
    async (where) => {
      const server = where === 'on this server' ? app : other
      const stream = await openTestStream({ app: server, user: server.as(oslo), query: EVENTS, variables: {} })
      await set(far, 'rack', '1')
      await set(user.accountId, 'rack', '1')
      await set(near, 'rack', '1')
      await until(() => eventsOf(stream).length > 0)
      await user.data('mutation { createRegistrationCode(name: "x") { code } }')
      await register('hidden', { site: 'bergen' })
      await register('shown', { site: 'oslo' })
      await until(() => eventsOf(stream).length > 1)
      expect(namesIn(stream)).toEqual(['near', 'shown'])
      stream.cut()
    },
  )

  it('contains no events of a device that is no longer inside the restriction', async () => {
    const { login } = await user.data(`{ login { events(deviceId: ["${far}"]) { last } } }`)
    await set(near, 'rack', '1')
    await set(near, 'site', 'bergen')
    await set(far, 'site', 'oslo')
    const stream = await openTestStream({ app, user: oslo, query: EVENTS, variables: { after: login.events.last } })
    await until(() => eventsOf(stream).length > 0)
    await set(far, 'rack', '2')
    await until(() => eventsOf(stream).length > 1)
    expect(namesIn(stream)).toEqual(['far', 'far'])
    stream.cut()
  })

  it('ends when the key is restricted further', async () => {
    const stream = await openTestStream({ app: other, user: other.as(oslo), query: EVENTS, variables: {} })
    await user.data(`mutation { updateAccessKey(key: "${oslo.keyId}", access: { where: "name = x" }) { key } }`)
    await until(() => stream.text().includes('subscribe again'))
  })
})

describe('a stream of a key that is restricted to some attributes', () => {
  it('contains events without the other attributes', async () => {
    const { user: owner, device, createReader } = await newUserWithHiddenValues(app)
    const key = await createReader()
    const start = (await key.data('{ login { events(size: 1) { items { id } } } }')).login.events.items[0].id
    const setWithHidden = (name: string, value: string) =>
      owner.data(
        `mutation { setAttributes(serviceId: "${device}", attributes: { ${name}: "${value}", secret: "hidden ${value}" }) }`,
      )
    await owner.data(`mutation { setAttribute(serviceId: "${device}", name: "secret", value: "hidden first") }`)
    await setWithHidden('site', 'second')
    const query = `subscription ($where: String, $view: ID) { events(after: "${start}", where: $where, view: $view) { type data } }`
    const stream = await openTestStream({ app, user: key, query, variables: { where: 'site != bergen' } })
    await until(() => eventsOf(stream).length > 0)
    await owner.data(`mutation { setAttribute(serviceId: "${device}", name: "secret", value: "hidden third") }`)
    await setWithHidden('site', 'fourth')
    await until(() => eventsOf(stream).length > 1)
    expect(eventsOf(stream).map(({ data }: Json) => data.changes)).toEqual([
      { site: { old: 'oslo', new: 'second' } },
      { site: { old: 'second', new: 'fourth' } },
    ])
    const rejected = await openTestStream({ app, user: key, query, variables: { where: 'secret = x' } })
    await until(() => rejected.messages.length > 0)
    expect(failure(rejected.messages[0]!.data)).toEqual(forbiddenAttribute)
  })

  it('reads only readable attributes in its filter, and ends when its view reads others', async () => {
    const { user: owner, device, createReader } = await newUserWithHiddenValues(app)
    const key = await createReader()
    const { createView: view } = await owner.data('mutation { createView(name: "v", where: "site = oslo") { id } }')
    const query = 'subscription ($where: String, $view: ID) { events(where: $where, view: $view) { data } }'
    const open = (variables: Record<string, unknown>) => openTestStream({ app, user: key, query, variables })
    const matching = [{ where: 'any(oslo)' }, { where: 'contexts = night' }, { view: view.id }]
    const hidden = [{ where: 'any(hidden)' }, { where: 'contexts = private' }]
    const shown = await Promise.all(matching.map(open))
    const empty = await Promise.all(hidden.map(open))
    await owner.data(`mutation { setAttribute(serviceId: "${device}", name: "status.fan", value: "x") }`)
    await until(() => shown.every((stream) => eventsOf(stream).length === 1))
    await owner.data(`mutation { updateView(id: "${view.id}", where: "secret = hidden") { id } }`)
    const ofView = shown.at(-1)!
    await until(() => ofView.text().includes('you cannot read the attribute \\"secret\\"'))
    await ofView.ended
    expect(empty.flatMap(eventsOf)).toEqual([])
  })
})

describe('a restricted key', () => {
  it('downloads only devices inside its restriction, and their events', async () => {
    const { login } = await oslo.data(
      '{ login { devicesUrl eventsUrl some: eventsUrl(where: "type = DEVICE_REGISTER") } }',
    )
    const download = async (url: string): Promise<string> => (await fetch(url)).text()
    const devices = await download(login.devicesUrl)
    expect(devices).toContain('near')
    expect(devices).toContain('only_near')
    expect(devices).not.toContain('far')
    for (const url of [login.eventsUrl, login.some]) {
      const events = await download(url)
      expect(events).toContain('near')
      expect(events).not.toContain('far')
      expect(events).not.toContain('ACCESS_KEY')
    }
    await set(near, 'site', 'bergen')
    await set(far, 'site', 'oslo')
    expect(await download(login.devicesUrl)).not.toContain('\nnear,')
    expect(await download(login.some)).toContain('far')
    await user.data(`mutation { updateAccessKey(key: "${oslo.keyId}", access: { where: "name = x" }) { key } }`)
    await expect.poll(() => download(login.some), NOTIFIED).not.toContain('far')
  })

  it('reads the names, values, and contexts only of devices inside its restriction', async () => {
    await set(near, 'rack', '1', 'night')
    await set(far, 'rack', '2', 'day')
    const { login } = await oslo.data(`{ login {
      attributeNames { name devices }
      names: checkFilter(where: "only", cursor: 4) { completions { text } }
      values: checkFilter(where: "site = ", cursor: 7) { completions { text } points }
      contexts: checkFilter(where: "in(\\"\\", site) = x", cursor: 4) { completions { text } }
      unknown: checkFilter(where: "only_fat = x") { problems { message suggestion } }
    } }`)
    expect(login.attributeNames).toEqual([
      { name: 'only_near', devices: 1 },
      { name: 'rack', devices: 1 },
      { name: 'site', devices: 1 },
      { name: 'version', devices: 1 },
    ])
    const writtenIn = ({ completions }: Json): string => JSON.stringify(completions)
    expect(writtenIn(login.names)).toContain('only_near')
    expect(writtenIn(login.names)).not.toContain('only_far')
    expect(writtenIn(login.values)).toContain('oslo')
    expect(writtenIn(login.values)).not.toContain('bergen')
    expect(writtenIn(login.contexts)).not.toContain('day')
    expect(JSON.stringify(login.unknown)).not.toContain('only_far')
  })
})
