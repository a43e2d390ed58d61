import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Receiver, startReceiver, verifyMessage } from '../packages/server/test/harness/webhook-receiver.ts'
import { describeConsole, type Person, startConsole } from './harness.ts'

describeConsole('webhooks', () => {
  const site = startConsole({
    worker: true,
    env: { MUSTER_WEBHOOK_ALLOW: '127.0.0.0/8', MUSTER_WEBHOOK_RETRIES: '3600' },
  })
  const parts = {} as { receiver: Receiver }
  beforeAll(async () => {
    parts.receiver = await startReceiver()
  })
  afterAll(async () => {
    await parts.receiver?.close()
  })

  const createWebhook = async (person: Person, url: string): Promise<string> => {
    const document =
      'mutation ($url: String!) { createWebhook(url: $url, name: "Alerts", events: [DEVICE_UPDATE]) { id } }'
    return (await person.data(document, { url })).createWebhook.id
  }
  const rows = (page: Page, status: string) => page.getByRole('row').filter({ hasText: status })

  it('creates a webhook, shows its secret, and shows the response to a test event', async () => {
    const { receiver } = parts
    const person = await site.newPerson()
    const page = await site.open(person, { path: '/webhooks' })
    await page.getByRole('heading', { name: 'No webhooks yet' }).waitFor()
    await page.getByRole('button', { name: 'New webhook' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('URL').fill('http://10.1.2.3/hook')
    await dialog.getByLabel('Name', { exact: true }).fill('Night shift')
    await dialog.getByRole('checkbox', { name: 'Device registered' }).check()
    await dialog.getByRole('button', { name: 'Create webhook' }).click()
    await dialog.getByText('URL must point to a public address, but 10.1.2.3 is not public').waitFor()
    await dialog.getByLabel('URL').fill(`${receiver.url}?made-here`)
    await dialog.getByRole('button', { name: 'Create webhook' }).click()
    const secret = (await dialog.getByLabel('signing secret', { exact: true }).textContent()) ?? ''
    await dialog.getByRole('link', { name: 'Open the webhook' }).click()

    receiver.respondWith((_message, response) => void response.writeHead(202).end('event received'))
    await page.getByRole('heading', { name: 'Night shift', level: 1 }).waitFor()
    await page.getByRole('button', { name: 'Send a test' }).click()
    const result = page.getByRole('dialog', { name: 'Test event' })
    await result.getByText('The receiver responded with status 202').waitFor()
    await result.getByText('event received').waitFor()
    const [message] = await receiver.waitFor(1, ({ body }) => body.type === 'webhook.test')
    expect(verifyMessage(secret, message!)).toMatchObject({ type: 'webhook.test' })
    await result.getByText(message!.id).waitFor()
    await result.getByRole('button', { name: 'Done' }).click()
    await rows(page, 'delivered').filter({ hasText: 'Test' }).waitFor()
    const { login } = await person.data('{ login { webhooks { name url events } } }')
    expect(login.webhooks).toEqual([
      { name: 'Night shift', url: `${receiver.url}?made-here`, events: expect.arrayContaining(['DEVICE_REGISTER']) },
    ])
  })

  it('limits a webhook to devices that match a filter and are in a view', async () => {
    const person = await site.newPerson()
    const id = await createWebhook(person, parts.receiver.url)
    await person.data('mutation { registerDevice(name: "a", attributes: { site: "oslo" }) { secret } }')
    await person.data('mutation { createView(name: "Linux", where: "platform = linux") { id } }')
    const page = await site.open(person, { path: `/webhooks/${id}` })
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Edit' }).click()
    const dialog = page.getByRole('dialog', { name: 'Edit the webhook' })
    await dialog.getByRole('searchbox', { name: 'Devices' }).fill('sitte = oslo')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByText('Did you mean "site"?').first().waitFor()
    await dialog.getByRole('searchbox', { name: 'Devices' }).fill('site = oslo')
    await dialog.getByRole('combobox', { name: 'View' }).click()
    await page.getByRole('option', { name: 'Linux' }).click()
    await dialog.getByLabel('Context').fill('night')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'hidden' })
    await page.getByText('attributes.site = oslo').waitFor()
    await page.getByRole('link', { name: 'Linux' }).waitFor()
    const { login } = await person.data('{ login { webhooks { where view { name } context } } }')
    expect(login.webhooks).toEqual([{ where: 'attributes.site = oslo', view: { name: 'Linux' }, context: 'night' }])
  })

  it('shows a failed attempt, and retries the delivery', async () => {
    const receiver = await startReceiver()
    try {
      receiver.respondWith((_message, response) => void response.writeHead(500).end('no room'))
      const person = await site.newPerson()
      const id = await createWebhook(person, receiver.url)
      const { registerDevice } = await person.data('mutation { registerDevice(name: "pump-1") { device { id } } }')
      const rename = 'mutation ($id: String!) { updateDevice(deviceId: $id, name: "pump-2") { id } }'
      await person.data(rename, { id: registerDevice.device.id })
      await receiver.waitFor(1)
      const page = await site.open(person, { path: `/webhooks/${id}` })
      await rows(page, 'pending').filter({ hasText: '500' }).getByRole('button', { name: 'Details of' }).click()
      await page.getByText('The receiver responded with status 500').first().waitFor()
      await page.getByRole('region', { name: 'Response body' }).getByText('no room').waitFor()
      await page.getByRole('region', { name: 'Request body' }).getByText('device.update').waitFor()
      const filter = page.getByRole('radiogroup', { name: 'Filter deliveries' })
      await filter.getByText('Failed').click()
      await page.getByRole('heading', { name: 'No matching deliveries' }).waitFor()
      await filter.getByText('Pending or delivered').click()
      await rows(page, 'pending').filter({ hasText: '500' }).getByRole('button', { name: 'Details of' }).click()

      receiver.respondWith((_message, response) => void response.end())
      await page.getByRole('button', { name: 'Retry now' }).click()
      await rows(page, 'delivered').filter({ hasText: 'Device changed' }).waitFor()
      const ids = new Set(receiver.received.map((message) => message.id))
      expect(ids.size).toBe(1)
    } finally {
      await receiver.close()
    }
  })

  it('explains how to resume a paused webhook, but not one that is also disabled', async () => {
    const person = await site.newPerson()
    const id = await createWebhook(person, `${parts.receiver.url}?paused`)
    const pause = (paused: string) => site.app.db.updateTable('webhook').set({ paused }).where('id', '=', id).execute()
    await pause('all attempts failed for 5 days')
    const page = await site.open(person, { path: `/webhooks/${id}` })
    const notice = page.getByRole('alert').filter({ hasText: 'Deliveries are held back' })
    await notice.getByText('select Resume').waitFor()
    await page.getByRole('button', { name: 'Resume' }).waitFor()
    await pause('unknown attribute: deliveries wait until you correct the view')
    await page.reload()
    await notice.getByText('Change the view').waitFor()
    await person.data('mutation ($id: ID!) { updateWebhook(id: $id, enabled: false) { paused } }', { id })
    await page.reload()
    await page.getByRole('button', { name: 'Enable' }).waitFor()
    expect(await notice.count()).toBe(0)
  })

  it('disables, enables, edits, and deletes a webhook, and rotates its secret', async () => {
    const person = await site.newPerson()
    const id = await createWebhook(person, `${parts.receiver.url}?changed`)
    const page = await site.open(person, { path: `/webhooks/${id}` })
    const more = async (item: string): Promise<void> => {
      await page.getByRole('button', { name: 'More' }).click()
      await page.getByRole('menuitem', { name: item }).click()
    }
    await page.getByRole('button', { name: 'Disable' }).click()
    await page.getByRole('button', { name: 'Enable' }).click()
    await page.getByRole('button', { name: 'Disable' }).waitFor()

    await more('Edit')
    const change = page.getByRole('dialog', { name: 'Edit the webhook' })
    await change.getByLabel('Name', { exact: true }).fill('Stock')
    await change.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Stock', level: 1 }).waitFor()

    await more('Rotate signing secret')
    await page.getByRole('button', { name: 'Rotate secret' }).click()
    const shown = page.getByRole('dialog', { name: 'The new signing secret' })
    expect(await shown.getByLabel('signing secret', { exact: true }).textContent()).toMatch(/^whsec_/)
    await shown.getByRole('button', { name: 'Done' }).click()

    await more('Delete')
    await page.getByRole('button', { name: 'Delete webhook' }).click()
    await page.getByRole('heading', { name: 'No webhooks yet' }).waitFor()
    const types = '{ login { events(types: [WEBHOOK_UPDATE, WEBHOOK_DELETE]) { items { type } } } }'
    const { login } = await person.data(types)
    expect(login.events.items.map(({ type }: { type: string }) => type)).toEqual([
      'WEBHOOK_DELETE',
      'WEBHOOK_UPDATE',
      'WEBHOOK_UPDATE',
      'WEBHOOK_UPDATE',
      'WEBHOOK_UPDATE',
    ])
  })
})
