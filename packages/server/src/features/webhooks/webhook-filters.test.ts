import { sql } from 'kysely'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import {
  createView,
  createWebhook,
  errorOf,
  receiveAll,
  received,
  register,
  withEnd,
} from '../../../test/api/filtered-webhooks.ts'
import { pollUntil } from '../../../test/api/webhooks.ts'
import { newMember } from '../../../test/factories/member.ts'
import { done } from '../../../test/factories/team.ts'
import { sharedTestApp, type TestUser } from '../../../test/harness/app.ts'
import { type Receiver, startReceiver } from '../../../test/harness/webhook-receiver.ts'

const app = sharedTestApp({ env: { MUSTER_WEBHOOK_ALLOW: '127.0.0.1' }, worker: true })
let user: TestUser
let receiver: Receiver

beforeEach(async () => {
  user = await app.createUser()
  receiver = await startReceiver()
  onTestFinished(() => receiver.close())
})

const set = (id: string, attributes: object, context?: string) =>
  user.data(
    'mutation ($id: String!, $attributes: Object!, $context: String) { setAttributes(serviceId: $id, attributes: $attributes, context: $context) }',
    { id, attributes, context },
  )

describe('a webhook with a filter', () => {
  it('sends an event once if its device matches before or after the event, and no other events', async () => {
    await register(user, 'other', { site: 'rome' })
    const inside = await register(user, 'inside', { site: 'oslo' })
    await createWebhook(user, receiver, withEnd('site = oslo'))
    await set(inside, { load: '1' })
    await set(inside, { site: 'rome' })
    await set(inside, { load: '2' })
    const entering = await register(user, 'entering', { site: 'rome' })
    await set(entering, { site: 'oslo' })
    await createView(user, 'name: "x"')
    const found = await received(app, user, receiver)
    expect(found).toEqual(['inside attribute.change', 'inside attribute.change', 'entering attribute.change'])
    const { rows } = await sql`select from webhook_candidate where account_id = ${user.accountId}`.execute(app.db)
    expect(rows).toEqual([])
  })

  it('sends the same data as a webhook without a filter', async () => {
    const admin = await newMember(app, user.accountId, 'admin')
    const contact_email = 'contact@example.com'
    await app.db.updateTable('account').set({ contact_email }).where('id', '=', user.accountId).execute()
    await createWebhook(user, receiver, withEnd('name = a'))
    await createWebhook(user, receiver)
    await done(admin, 'mutation { registerDevice(name: "a") { device { id } } }')
    const [one, other] = (await receiver.waitFor(2, ({ body }) => body.data.device?.name === 'a')).map(
      ({ body }) => body.data,
    )
    expect(one).toEqual(other)
    expect(one).toMatchObject({ owner: { email: contact_email }, actor: { id: admin.id, email: admin.email } })
  })

  it("evaluates each of several rapid changes to a device against the device's state at that time", async () => {
    const id = await register(user, 'a', { site: 'rome' })
    await createWebhook(user, receiver, withEnd('site = oslo AND attributes.load = 1'))
    // Make four changes in one request. The device matches only between the second and the third change.
    const item = (attributes: object) => ({ serviceId: id, attributes })
    await user.data('mutation ($items: [AttributesInput!]!) { setAttributesMany(items: $items) { code } }', {
      items: [{ load: '1' }, { site: 'oslo' }, { load: '2' }, { site: 'rome' }].map(item),
    })
    await received(app, user, receiver)
    const changes = receiver.received.filter(({ body }) => body.type === 'attribute.change')
    expect(changes.map(({ body }) => Object.keys(body.data.changes))).toEqual([['site'], ['load']])
  })

  it('evaluates a deleted device by the content of its event', async () => {
    const one = await register(user, 'one', { site: 'oslo', $svc: { statusA: 'ok' } })
    const two = await register(user, 'two', { site: 'oslo' })
    await set(two, { zone: 'x' }, 'night')
    await user.data(`mutation { addService(deviceId: "${two}", name: "ssh", port: 22) { id } }`)
    await createWebhook(user, receiver, withEnd('site = oslo AND statusA = ok'))
    await createWebhook(user, receiver, `${withEnd('zone = x services.port = 22')}, context: "night"`)
    await createWebhook(user, receiver, withEnd('site = rome'))
    await user.data(`mutation { a: deleteDevice(deviceId: "${one}") b: deleteDevice(deviceId: "${two}") }`)
    await register(user, 'end')
    await receiver.waitFor(3, ({ body }) => body.data.device?.name === 'end')
    await receiveAll(app, user, receiver)
    const deleted = receiver.received.filter(({ body }) => body.type === 'device.delete').map(({ body }) => body.data)
    expect(deleted.map(({ device }) => device.name).sort()).toEqual(['one', 'two'])
    expect(deleted.find(({ device }) => device.name === 'two')).toMatchObject({
      attributes: { site: 'oslo' },
      overrides: { night: { zone: 'x' } },
      services: [{ name: 'ssh', port: 22, attributes: {}, overrides: {} }],
    })
  })

  it('evaluates relative times at the time of the event', async () => {
    const id = await register(user, 'a', { seen: new Date().toISOString() })
    await createWebhook(user, receiver, withEnd('seen > -1h'))
    await set(id, { load: '1' })
    await set(id, { seen: '2020-01-01' })
    await set(id, { load: '2' })
    expect(await received(app, user, receiver)).toEqual(['a attribute.change', 'a attribute.change'])
  })

  it('evaluates the ages of attribute values at the time of the event', async () => {
    const id = await register(user, 'a', { load: '1' })
    const ages = await startReceiver()
    onTestFinished(() => ages.close())
    await user.data('mutation { setExpectedInterval(name: "load", seconds: 60) { name } }')
    const makeOld = async (): Promise<void> => {
      const hourAgo = Date.now() - 3_600_000
      await sql`update attribute_times_start set since = '2020-01-01'`.execute(app.db)
      const dayAgo = new Date(Date.now() - 86_400_000)
      await sql`update device set created = ${dayAgo}, attribute_times = jsonb_build_object('load', ${hourAgo}::bigint)
        where account_id = ${user.accountId} and id = ${id}`.execute(app.db)
    }
    await makeOld()
    await createWebhook(user, receiver, withEnd('stale(load)'))
    await createWebhook(user, ages, withEnd('age(load) > 30m'))
    // Wait for evaluations, because a change without an event also affects the events that are not evaluated yet.
    const evaluated = async (count: number): Promise<void> => {
      await register(user, 'end')
      for (const to of [receiver, ages]) {
        await to.waitFor(count, ({ body }) => body.data.device?.name === 'end')
        await receiveAll(app, user, to)
      }
    }
    const changesTo = (to: Receiver) =>
      to.received.filter(({ body }) => body.type === 'attribute.change').map(({ body }) => body.data.changes)
    const site = (old: string | null, next: string) => ({ site: { old, new: next } })
    const load = (old: string, next: string) => ({ load: { old, new: next } })

    await set(id, { site: 'stale' })
    await pollUntil(
      async () => changesTo(receiver).length,
      (count) => count === 1,
    )
    // The value stays the same, so this write makes it fresh without an event.
    await set(id, { load: '1' })
    await set(id, { site: 'fresh' })
    await set(id, { load: '2' })
    await set(id, { site: 'new' })
    await evaluated(1)
    await makeOld()
    await set(id, { load: '3' })
    await set(id, { load: '4' })
    await evaluated(2)
    await makeOld()
    await user.data(`mutation { deleteDevice(deviceId: "${id}") }`)
    await evaluated(3)
    expect(changesTo(receiver)).toEqual([site(null, 'stale'), load('2', '3')])
    expect(changesTo(ages)).toEqual([site(null, 'stale'), site('stale', 'fresh'), load('1', '2'), load('2', '3')])
    for (const to of [receiver, ages])
      expect(to.received.filter(({ body }) => body.type === 'device.delete')).toHaveLength(1)
  })

  it('sends the event of a report if the previous report was old enough to match', async () => {
    const [lost, seen] = [await register(user, 'lost'), await register(user, 'seen')]
    await createWebhook(user, receiver, withEnd('lastReported < -1d'))
    const reported = async (id: string, days: number): Promise<void> => {
      await sql`update device_live set last_reported = now() - ${days} * interval '1 day' where device_id = ${id}`.execute(
        app.db,
      )
      await user.data(`mutation { reportState(serviceId: "${id}", state: "active") }`)
    }
    await reported(lost, 2)
    await reported(seen, 0.5)
    expect(await received(app, user, receiver)).toEqual(['lost device.state'])
  })

  it('uses the current filter and the context of its view', async () => {
    const view = await createView(user, 'name: "V", where: "name = end OR attributes.site = oslo", context: "night"')
    await createWebhook(user, receiver, `view: "${view}"`)
    const id = await register(user, 'a', { site: 'rome' })
    await set(id, { site: 'oslo' }, 'night')
    await received(app, user, receiver)
    expect(receiver.received.filter(({ body }) => body.data.device.name === 'a')).toHaveLength(1)
    await user.data(`mutation { updateView(id: "${view}", where: "name = end OR site = rome") { id } }`)
    await set(id, { load: '1' })
    await register(user, 'b', { site: 'rome' })
    await register(user, 'end')
    await receiver.waitFor(2, ({ body }) => body.data.device.name === 'end')
    await receiveAll(app, user, receiver)
    expect(receiver.received.map(({ body }) => `${body.data.device.name} ${body.type}`)).toEqual([
      'a attribute.change',
      'end device.register',
      'b device.register',
      'end device.register',
    ])
  })

  it('returns its filter in canonical form, and can be changed to have no filter, view, or context', async () => {
    await register(user, 'a', { site: 'oslo' })
    const view = await createView(user, 'name: "V", where: "platform:*"')
    const fields = 'where view { id name } context'
    const created =
      await user.data(`mutation { createWebhook(url: "${receiver.url}", events: [DEVICE_REGISTER], enabled: false,
      where: "site=oslo -name:x", view: "${view}", context: "night") { id ${fields} } }`)
    const { id, ...shown } = created.createWebhook
    const where = 'attributes.site = oslo AND NOT name:x'
    expect(shown).toEqual({ where, view: { id: view, name: 'V' }, context: 'night' })
    const update = async (args: string) =>
      (await user.data(`mutation { updateWebhook(id: "${id}", ${args}) { ${fields} } }`)).updateWebhook
    expect(await update('name: "x"')).toEqual(shown)
    expect(await update('view: null')).toEqual({ where, view: null, context: 'night' })
    expect(await update('where: "", context: null')).toEqual({ where: null, view: null, context: null })
    const { login } = await user.data(
      '{ login { events(types: [WEBHOOK_CREATE, WEBHOOK_UPDATE]) { items { type data } } } }',
    )
    expect(login.events.items[1].data.changes).toEqual({ view: { old: view, new: null } })
    expect(login.events.items.at(-1).data).toMatchObject({ where, view, context: 'night' })
  })

  it('rejects invalid filters and unknown views, and changes nothing', async () => {
    await register(user, 'a', { site: 'oslo' })
    const services = await createView(user, 'name: "S", kind: SERVICES')
    const foreign = await createView(app.owner, 'name: "F"')
    const id = await createWebhook(user, receiver, 'enabled: false')
    const cases: [string, string][] = [
      ['where: "sitte = oslo"', 'BAD_USER_INPUT'],
      ['where: "port = 22"', 'BAD_USER_INPUT'],
      [`view: "${services}"`, 'BAD_USER_INPUT'],
      [`where: "view('${services}')"`, 'BAD_USER_INPUT'],
      ['view: "vw_none"', 'NOT_FOUND'],
      [`view: "${foreign}"`, 'NOT_FOUND'],
      [`where: "NOT view('${foreign}')"`, 'NOT_FOUND'],
      ['context: ""', 'BAD_USER_INPUT'],
    ]
    for (const [args, code] of cases) {
      expect((await errorOf(user, `mutation { createWebhook(url: "${receiver.url}", ${args}) { id } }`))[0], args).toBe(
        code,
      )
      expect((await errorOf(user, `mutation { updateWebhook(id: "${id}", ${args}) { id } }`))[0], args).toBe(code)
    }
    const { login } = await user.data('{ login { webhooks { id where view { id } } } }')
    expect(login.webhooks).toEqual([{ id, where: null, view: null }])
  })

  it('sends each event once while a filter is added and removed', async () => {
    const id = await createWebhook(user, receiver)
    for (let round = 0; round < 4; round++) {
      await register(user, `${round}`)
      const where = round % 2 === 0 ? JSON.stringify(`name:"" OR name = end`) : 'null'
      await user.data(`mutation { updateWebhook(id: "${id}", where: ${where}) { id } }`)
    }
    await received(app, user, receiver)
    const ids = receiver.received.filter(({ body }) => body.type === 'device.register').map(({ body }) => body.data.id)
    expect(ids).toHaveLength(5)
    expect(new Set(ids).size).toBe(5)
  })
})

it("evaluates many events for a filter, and also sends another account's events", async () => {
  // The server needs more than one batch for this many events.
  const EVENTS = 3_000
  const busy = await app.createUser()
  const slow = await startReceiver()
  onTestFinished(() => slow.close())
  const device = await register(busy, 'busy', { site: 'rome' })
  const webhook = await createWebhook(busy, slow, withEnd('site = oslo'))
  await createWebhook(user, receiver)
  await sql`
    insert into event (account_id, type, device_id, targets, data)
    select ${busy.accountId}, 'ATTRIBUTE_CHANGE', ${device},
      jsonb_build_array(jsonb_build_object('id', ${device}::text, 'name', 'busy', 'kind', 'device')),
      '{"context": null, "changes": {"load": {"old": "1", "new": "1"}}}'
    from generate_series(1, ${EVENTS})`.execute(app.db)
  const left = async (): Promise<number> => {
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from webhook_candidate where webhook_id = ${webhook}`.execute(app.db)
    return rows[0]!.count
  }
  await register(user, 'mine')
  await receiver.waitFor(1)
  const waiting = await left()
  console.log(`${waiting} of ${EVENTS} events of the other account were still pending`)
  await register(busy, 'end')
  await slow.waitFor(1)
  expect(slow.received).toHaveLength(1)
  expect(await pollUntil(left, (count) => count === 0)).toBe(0)
})
