import { expect, it } from 'vitest'
import { findViolations, findViolationsInBothSchemes } from './axe.ts'
import { describeConsole, type Person, startConsole } from './harness.ts'

const desktop = { width: 1280, height: 800 }
const phone = { width: 390, height: 844 }

describeConsole('accessibility', () => {
  const site = startConsole({ worker: true, env: { MUSTER_WEBHOOK_ALLOW: '127.0.0.0/8' } })

  /**
   * Creates a user with data on most pages. Returns the user, and each page's path with a string that the loaded page
   * shows.
   */
  const createData = async (): Promise<{ person: Person; pages: [path: string, text: string][] }> => {
    const person = await site.newPerson()
    const { registerDevice, createWebhook } = await person.data(`mutation {
      registerDevice(
        name: "pump", platform: "linux", services: [{ name: "shell", port: 22 }]
        attributes: { site: "oslo", net: { ssid: "lab" } }
      ) { device { id services { id } } }
      createWebhook(url: "http://127.0.0.1:9/hook", name: "Alerts", events: [DEVICE_UPDATE]) { id }
      createRegistrationCode(name: "gate") { registrationCode { id } }
      setExpectedInterval(name: "site", seconds: 60) { name }
    }`)
    // No server listens on port 9, so the webhook's page shows a failed attempt.
    await person.data('mutation ($id: ID!) { testWebhook(id: $id) { id } }', { id: createWebhook.id })
    const { id, services } = registerDevice.device
    const pages: [string, string][] = [
      ['/overview', 'Newest events'],
      ['/services', 'shell'],
      ['/devices', 'pump'],
      [`/devices/${id}`, 'oslo'],
      [`/devices/${id}/services/${services[0].id}`, 'SSH'],
      ['/events', 'Device registered'],
      ['/changes', 'No bulk jobs yet'],
      ['/webhooks', 'Alerts'],
      [`/webhooks/${createWebhook.id}`, 'Details of Test'],
      ['/account/keys', person.keyId],
      [`/account/keys/${person.keyId}`, 'What may this key do?'],
      ['/account/members', 'everything except changing owners'],
      ['/account/sign-in-policy', 'in any way'],
      ['/account/codes', 'gate'],
      ['/account/labels', 'Category A'],
      ['/account/attributes', 'every minute'],
      ['/account/limits', 'webhooks'],
      ['/account/sessions', 'this browser'],
      ['/account/security', 'Password'],
    ]
    return { person, pages }
  }

  it('has no accessibility violations on the main pages, in either color scheme and on a phone', async () => {
    const { person, pages } = await createData()
    const signedOut = await site.openSignedOut()
    await signedOut.getByRole('heading', { name: 'Sign in' }).waitFor()
    const violations = await findViolationsInBothSchemes(signedOut)
    // Allow the service worker, because this test also checks that these pages work with it.
    const page = await site.open(person, { serviceWorkers: 'allow' })
    await page.evaluate('navigator.serviceWorker.ready.then(() => undefined)')
    for (const [path, text] of pages) {
      await page.goto(`${site.app.url}${path}`)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await page.getByRole('main').getByText(text).or(page.getByLabel(text)).first().waitFor()
      violations.push(...(await findViolationsInBothSchemes(page)))
      await page.setViewportSize(phone)
      violations.push(...(await findViolations(page)))
      await page.setViewportSize(desktop)
    }
    expect(violations).toEqual([])
  })

  it('has no accessibility violations while a user creates a key or a role, or needs a second factor', async () => {
    const person = await site.newPerson()
    const page = await site.open(person, { path: '/account/keys' })
    await page.getByRole('button', { name: 'New access key' }).click()
    const dialog = page.getByRole('dialog')
    const violations = await findViolationsInBothSchemes(page)
    for (const step of ['Step 2 of 3', 'Step 3 of 3']) {
      await dialog.getByRole('button', { name: 'Next' }).click()
      await dialog.getByText(step).waitFor()
      violations.push(...(await findViolationsInBothSchemes(page)))
    }
    await page.goto(`${site.app.url}/account/members`)
    await page.getByRole('button', { name: 'New role' }).click()
    await dialog.getByRole('checkbox', { name: 'Only some attributes' }).check()
    violations.push(...(await findViolationsInBothSchemes(page)))
    await site.app.db
      .updateTable('account')
      .set({ sign_in_policy: 'SECOND_FACTOR' })
      .where('id', '=', person.accountId)
      .execute()
    await page.reload()
    await page.getByText('You have no second factor yet').waitFor()
    violations.push(...(await findViolationsInBothSchemes(page)))
    expect(violations).toEqual([])
  })

  it('has no accessibility violations in the search box while it completes or rejects a filter', async () => {
    const page = await site.open(await site.newPerson(), { path: '/services' })
    const field = page.getByLabel('Search services')
    await field.pressSequentially('st')
    await page.getByRole('option', { name: /^state/ }).waitFor()
    await field.press('ArrowDown')
    const selected = page.locator('[role=option][data-combobox-selected]')
    expect(await field.getAttribute('aria-activedescendant')).toBe(await selected.getAttribute('id'))
    expect(await findViolationsInBothSchemes(page)).toEqual([])

    await field.fill('state = = active')
    await page.getByRole('status').getByText('Write a value after state =').waitFor()
    const description = page.locator(`[id="${await field.getAttribute('aria-describedby')}"]`)
    expect(await description.textContent()).toContain('Write a value after state =')
    expect(await findViolationsInBothSchemes(page)).toEqual([])
  })
})
