import { expect, it } from 'vitest'
import { findingsInBothColours } from './axe.ts'
import { describeConsole, type Person, startConsole } from './harness.ts'

describeConsole('for everybody', () => {
  const site = startConsole({ worker: true, env: { MUSTER_WEBHOOK_ALLOW: '127.0.0.0/8' } })

  /** Somebody with something on every page, and the pages, each with a text that shows when it is there. */
  const furnish = async (): Promise<{ person: Person; pages: [path: string, text: string][] }> => {
    const person = await site.newPerson()
    const { registerDevice, createWebhook } = await person.data(`mutation {
      registerDevice(
        name: "pump", platform: "linux", services: [{ name: "shell", port: 22 }]
        attributes: { site: "oslo", net: { ssid: "lab" } }
      ) { device { id services { id } } }
      createWebhook(url: "http://127.0.0.1:9/hook", name: "Alerts", events: [DEVICE_UPDATE]) { id }
      createRegistrationCode(name: "gate") { registrationCode { id } }
    }`)
    // Its receiver is not there: the page has an attempt that failed.
    await person.data('mutation ($id: ID!) { testWebhook(id: $id) { id } }', { id: createWebhook.id })
    const { id, services } = registerDevice.device
    const pages: [string, string][] = [
      ['/devices', 'pump'],
      [`/devices/${id}`, 'oslo'],
      [`/devices/${id}/services/${services[0].id}`, 'SSH'],
      ['/events', 'Device registered'],
      ['/webhooks', 'Alerts'],
      [`/webhooks/${createWebhook.id}`, 'Details of Test'],
      ['/account/keys', person.keyId],
      ['/account/codes', 'gate'],
      ['/account/labels', 'Category A'],
      ['/account/attributes', 'net.ssid'],
      ['/account/limits', 'webhooks'],
      ['/account/sessions', 'this browser'],
      ['/account/security', 'Password'],
    ]
    return { person, pages }
  }

  it('has no serious finding on any page, in light and in dark', async () => {
    const { person, pages } = await furnish()
    const signedOut = await site.openSignedOut()
    await signedOut.getByRole('heading', { name: 'Sign in' }).waitFor()
    const findings = await findingsInBothColours(signedOut)
    const page = await site.open(person)
    for (const [path, text] of pages) {
      await page.goto(`${site.app.url}${path}`)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await page.getByRole('main').getByText(text).or(page.getByLabel(text)).first().waitFor()
      findings.push(...(await findingsInBothColours(page)))
    }
    expect(findings).toEqual([])
  })
})
