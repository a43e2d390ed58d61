import type { Locator, Page, Route } from 'playwright-core'
import { expect, it } from 'vitest'
import { seedDevices } from '../packages/server/test/factories/seed-devices.ts'
import { describeConsole, startConsole } from './harness.ts'

const phone = { width: 390, height: 844 }

const isInView = (element: Locator): Promise<boolean> =>
  element.evaluate((node) => {
    const { left, top, width, height } = node.getBoundingClientRect()
    return node.contains(node.ownerDocument.elementFromPoint(left + width / 2, top + height / 2))
  })

describeConsole('errors in dialogs', () => {
  const site = startConsole()

  const openDialog = async (page: Page, button: string): Promise<Locator> => {
    await page.getByRole('button', { name: button }).first().click()
    return page.getByRole('dialog')
  }
  const errorAfter = async (dialog: Locator, button: string): Promise<string> => {
    await dialog.getByRole('button', { name: button }).click()
    const alert = dialog.getByRole('alert')
    await alert.waitFor()
    await expect.poll(() => isInView(alert)).toBe(true)
    return alert.innerText()
  }

  it('scrolls to an error in a long dialog on a phone, and begins the error with the label of the field', async () => {
    const page = await site.open(await site.newPerson(), { path: '/webhooks', viewport: phone })
    const dialog = await openDialog(page, 'New webhook')
    await dialog.getByRole('button', { name: 'Create webhook' }).click()
    const missing = dialog.getByText('Enter a URL')
    await missing.waitFor()
    await expect.poll(() => isInView(missing)).toBe(true)

    await dialog.getByLabel('URL').fill('http://10.1.2.3/hook')
    expect(await errorAfter(dialog, 'Create webhook')).toMatch(/^URL must point to a public address/m)
    await dialog.getByLabel('URL').fill('http://10.1.2.4/hook')
    expect(await errorAfter(dialog, 'Create webhook')).toMatch(/^URL must point .* 10\.1\.2\.4/m)
  })

  it('creates only one device if it is unclear whether the first attempt succeeded', async () => {
    const person = await site.newPerson()
    const page = await site.open(person, { viewport: phone })
    const unavailable = (extensions: object) => ({
      status: 503,
      json: { errors: [{ message: 'x', extensions: { code: 'UNAVAILABLE', ...extensions } }], data: null },
    })
    let attempts = 0
    await page.route('**/graphql/v1', async (route) => {
      if (route.request().postDataJSON().operationName !== 'AddDevice' || ++attempts > 2) return route.continue()
      if (attempts === 1) await route.fetch()
      await route.fulfill(unavailable(attempts === 1 ? { outcome: 'unknown' } : {}))
    })
    const dialog = await openDialog(page, 'Add a device')
    await dialog.getByLabel('Name').fill('door')
    const failed = 'The device was not added'
    expect(await errorAfter(dialog, 'Add')).not.toContain(failed)
    expect(attempts).toBe(1)
    await errorAfter(dialog, 'Add')
    await dialog.getByRole('alert').getByText(failed).waitFor()
    expect(attempts).toBe(2)
    await dialog.getByRole('button', { name: 'Add' }).click()
    await expect.poll(() => attempts).toBe(3)
    await site.waitForResponses(page)
    const { login } = await person.data('{ login { devices { items { name } } } }')
    expect(login.devices.items).toEqual([{ name: 'door' }])
  })

  it.each([
    ['no response', 'The server is not responding', (route: Route) => route.abort()],
    ['a response of a proxy', 'The response is not from', (route: Route) => route.fulfill({ status: 504, body: '' })],
  ])('does not claim that nothing was added after %s', async (_name, what, respond) => {
    const page = await site.open(await site.newPerson())
    await page.route('**/graphql/v1', (route) =>
      route.request().postDataJSON().operationName === 'AddDevice' ? respond(route) : route.continue(),
    )
    const dialog = await openDialog(page, 'Add a device')
    await dialog.getByLabel('Name').fill('door')
    expect(await errorAfter(dialog, 'Add')).toMatch(
      new RegExp(`^${what}.* Reload the page to see whether the change was made\\.$`),
    )
  })

  it('begins an error with the label of the field for devices, access keys, and registration codes', async () => {
    const person = await site.newPerson()
    await seedDevices(site.app.db, person.accountId, [{ name: 'gate', hardwareId: 'A1' }])
    const page = await site.open(person, { viewport: phone })
    const device = await openDialog(page, 'Add a device')
    await device.getByLabel('Name').fill('door')
    await device.getByLabel('Hardware ID').fill('A1')
    expect(await errorAfter(device, 'Add')).toMatch(/^Hardware ID "A1" is in use/m)

    await page.goto(`${site.app.url}/account/keys`)
    const key = await openDialog(page, 'New access key')
    await key.getByRole('button', { name: 'Next' }).click()
    await key.getByText('Step 2 of 3').waitFor()
    await key.getByRole('button', { name: 'Next' }).click()
    await key.getByRole('radio', { name: 'my Ed25519 key' }).check()
    await key.getByLabel('Public key').fill('x')
    expect(await errorAfter(key, 'Create key')).toMatch(/^Public key: /m)

    await page.goto(`${site.app.url}/account/codes`)
    const code = await openDialog(page, 'New registration code')
    await code.getByRole('button', { name: 'Add a service' }).click()
    await code.getByLabel('Name of service 1').fill('a'.repeat(200))
    expect(await errorAfter(code, 'Create code')).toMatch(/^Name of service 1 may have at most /m)
  })
})
