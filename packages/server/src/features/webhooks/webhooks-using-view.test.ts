import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { createView, createWebhook, errorOf, received, register } from '../../../test/api/filtered-webhooks.ts'
import { pollUntil } from '../../../test/api/webhooks.ts'
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

describe('a view that a webhook uses', () => {
  it('lists its webhooks in usedBy, and can be deleted only with a replacement', async () => {
    const [used, inFilter, other] = [
      await createView(user, 'name: "A"'),
      await createView(user, 'name: "B"'),
      await createView(user, 'name: "C", where: "name = end"'),
    ]
    const events = await createView(user, 'name: "E", kind: EVENTS')
    const id = await createWebhook(user, receiver, `name: "hook", view: "${used}", where: "view('${inFilter}')"`)
    const usedBy = async (view: string) =>
      (await user.data(`{ login { views(id: ["${view}"]) { usedBy { id name kind } } } }`)).login.views[0].usedBy
    expect(await usedBy(used)).toEqual([{ id, name: 'hook', kind: 'webhook' }])
    expect(await usedBy(inFilter)).toEqual([{ id, name: 'hook', kind: 'webhook' }])
    expect(await usedBy(other)).toEqual([])
    for (const view of [used, inFilter]) {
      const [code, message] = await errorOf(user, `mutation { deleteView(id: "${view}") }`)
      expect([code, message]).toEqual(['CONFLICT', expect.stringContaining(`"hook" (${id})`)])
    }
    const remove = (view: string, replaceBy: string) =>
      `mutation { deleteView(id: "${view}", replaceBy: "${replaceBy}") }`
    expect((await errorOf(user, remove(used, 'vw_none')))[0]).toBe('NOT_FOUND')
    expect((await errorOf(user, remove('vw_none', used)))[0]).toBe('NOT_FOUND')
    expect((await errorOf(user, remove(used, used)))[0]).toBe('BAD_USER_INPUT')
    expect((await errorOf(user, remove(used, events)))[0]).toBe('BAD_USER_INPUT')
    await user.data(remove(used, other))
    await user.data(remove(inFilter, other))
    const { login } = await user.data('{ login { webhooks { where view { id } } } }')
    expect(login.webhooks).toEqual([{ where: `view("${other}")`, view: { id: other } }])
    await register(user, 'not in the view')
    expect(await received(app, user, receiver)).toEqual([])
  })

  it('can be replaced while the receiver of its webhook fails, which does not prolong the pause', async () => {
    const [one, other] = [await createView(user, 'name: "A"'), await createView(user, 'name: "B"')]
    const id = await createWebhook(user, receiver, `view: "${one}"`)
    const setFailing = (failures: number, probe_at: Date | null) =>
      app.db.updateTable('webhook_sending').set({ failures, probe_at }).where('webhook_id', '=', id).execute()
    const paused = async () => (await user.data('{ login { webhooks { paused } } }')).login.webhooks[0].paused
    await setFailing(20, new Date(Date.now() + 3_600_000))
    expect(await paused()).toContain('the last 20 attempts failed')
    await user.data(`mutation { deleteView(id: "${one}", replaceBy: "${other}") }`)
    await setFailing(0, null)
    expect(await paused()).toBe(null)
  })

  it('pauses its webhook while the view is invalid, and the events stay pending', async () => {
    const view = await createView(user, 'name: "V", where: "name = end OR name = a"')
    const id = await createWebhook(user, receiver, `view: "${view}"`)
    const breakView = (filter: string) =>
      app.db.updateTable('saved_view').set({ filter }).where('id', '=', view).execute()
    await breakView('broken(')
    const state = async () =>
      (await user.data(`{ login { webhooks(id: ["${id}"]) { paused } } }`)).login.webhooks[0].paused
    await register(user, 'a')
    await register(user, 'b')
    const paused = await pollUntil(state, (reason) => reason !== null)
    expect(paused).toContain('"V" is invalid')
    expect((await errorOf(user, `{ login { devices(view: "${view}") { total } } }`))[0]).toBe('CONFLICT')
    await breakView('name = end OR name = a')
    expect(await received(app, user, receiver)).toEqual(['a device.register'])
    expect(await pollUntil(state, (reason) => reason === null)).toBe(null)
    const { login } = await user.data('{ login { events(types: [WEBHOOK_PAUSE, WEBHOOK_UPDATE]) { items { type } } } }')
    expect(login.events.items.map(({ type }: { type: string }) => type)).toEqual(['WEBHOOK_UPDATE', 'WEBHOOK_PAUSE'])
  })
})
