import { beforeEach, expect, it } from 'vitest'
import { codesOf, eventsOf, openTestStream, type RawStream, until } from '../../../test/clients/event-stream.ts'
import { sharedTestApp, type TestUser } from '../../../test/harness/app.ts'

const app = sharedTestApp()
let user: TestUser

beforeEach(async () => {
  user = await app.createUser()
})

const subscribe = (variables: Record<string, unknown>): Promise<RawStream> =>
  openTestStream({
    app,
    user,
    query: `subscription ($after: ID, $where: String, $view: ID, $context: String) {
      events(after: $after, where: $where, view: $view, context: $context) { id type target { name } } }`,
    variables,
  })

async function register(name: string, attributes: Record<string, unknown> = {}): Promise<string> {
  const document =
    'mutation ($name: String!, $attributes: Object) { registerDevice(name: $name, attributes: $attributes) { device { id } } }'
  return (await user.data(document, { name, attributes })).registerDevice.device.id
}

const set = (id: string, name: string, value: string, context?: string) =>
  user.data(
    'mutation ($id: String!, $name: String!, $value: String!, $context: String) { setAttribute(serviceId: $id, name: $name, value: $value, context: $context) }',
    { id, name, value, context },
  )

const createView = async (args: string): Promise<string> =>
  (await user.data(`mutation { createView(${args}) { id } }`)).createView.id

const shown = (stream: RawStream): string[] =>
  eventsOf(stream).map((event) => `${(event.target as { name: string }[])[0]!.name} ${event.type}`)

const error = ({ messages }: RawStream): [code: string, message: string] => {
  const [first] = messages[0]!.data.errors
  return [first.extensions.code, first.message]
}

it('delivers the events of devices that match immediately before or after, both stored and live', async () => {
  const inside = await register('inside', { site: 'oslo' })
  const { login } = await user.data('{ login { events(size: 1) { last } } }')
  const live = await subscribe({ where: 'site = oslo OR name = end' })
  await register('outside', { site: 'rome' })
  await set(inside, 'load', '1')
  await set(inside, 'site', 'rome')
  await set(inside, 'load', '2')
  await createView('name: "x"')
  await user.data(`mutation { deleteDevice(deviceId: "${inside}") }`)
  await register('end')
  const expected = ['inside ATTRIBUTE_CHANGE', 'inside ATTRIBUTE_CHANGE', 'end DEVICE_REGISTER']
  await until(() => shown(live).includes('end DEVICE_REGISTER'))
  expect(shown(live)).toEqual(expected)
  const past = await subscribe({ where: 'site = oslo OR name = end', after: login.events.last })
  await until(() => shown(past).includes('end DEVICE_REGISTER'))
  expect(eventsOf(past)).toEqual(eventsOf(live))
})

it('reads attributes in the context of the subscription or, without one, of the view', async () => {
  const view = await createView('name: "V", where: "name:a attributes.site = oslo", context: "night"')
  const inView = await subscribe({ view })
  const inOther = await subscribe({ view, context: 'day' })
  const id = await register('a', { site: 'rome' })
  await set(id, 'site', 'oslo', 'night')
  await set(id, 'load', '1')
  await set(id, 'site', 'oslo', 'day')
  await until(() => shown(inView).length === 3 && shown(inOther).length === 1)
  expect(shown(inView)).toEqual(Array(3).fill('a ATTRIBUTE_CHANGE'))
})

it('applies a change to the view', async () => {
  const view = await createView('name: "V", where: "name:a"')
  const streams = [await subscribe({ view }), await subscribe({ where: `view("${view}")` })]
  await register('a1')
  await until(() => streams.every((stream) => shown(stream).length === 1))
  await user.data(`mutation { updateView(id: "${view}", where: "name:b") { id } }`)
  // The streams read the changed view within a second. Until then, they omit new devices that only the changed view
  // matches.
  const showNew = async (): Promise<boolean[]> => {
    await register('b1')
    return streams.map((stream) => shown(stream).includes('b1 DEVICE_REGISTER'))
  }
  await expect.poll(showNew, { interval: 100 }).toEqual([true, true])
  await register('a2')
  await register('b2')
  await until(() => streams.every((stream) => shown(stream).includes('b2 DEVICE_REGISTER')))
  for (const stream of streams)
    expect([...new Set(shown(stream))]).toEqual(['a1 DEVICE_REGISTER', 'b1 DEVICE_REGISTER', 'b2 DEVICE_REGISTER'])
})

it('ends with BAD_USER_INPUT if the view becomes invalid, and with NOT_FOUND if the view is deleted', async () => {
  const broken = await createView('name: "V", where: "name:a"')
  const deleted = await createView('name: "W"')
  const [first, second] = [await subscribe({ view: broken }), await subscribe({ where: `view("${deleted}")` })]
  await app.db.updateTable('saved_view').set({ filter: 'broken(' }).where('id', '=', broken).execute()
  await user.data(`mutation { deleteView(id: "${deleted}") }`)
  await Promise.all([first.ended, second.ended])
  expect(codesOf(first)).toEqual(['BAD_USER_INPUT', 'complete'])
  expect(codesOf(second)).toEqual(['NOT_FOUND', 'complete'])
})

it('rejects invalid filters and unknown views', async () => {
  await register('a', { site: 'oslo' })
  const services = await createView('name: "S", kind: SERVICES')
  const cases: [Record<string, unknown>, string][] = [
    [{ where: 'sitte = oslo' }, 'BAD_USER_INPUT'],
    [{ where: 'type = DEVICE_STATE' }, 'BAD_USER_INPUT'],
    [{ view: services }, 'BAD_USER_INPUT'],
    [{ view: 'vw_none' }, 'NOT_FOUND'],
    [{ where: 'view("vw_none")' }, 'NOT_FOUND'],
  ]
  for (const [variables, code] of cases) {
    const stream = await subscribe(variables)
    await stream.ended
    expect(error(stream)[0], JSON.stringify(variables)).toBe(code)
  }
  const stream = await subscribe({ where: 'sitte = oslo' })
  await stream.ended
  expect(error(stream)[1]).toContain('Did you mean "site"?')
})
