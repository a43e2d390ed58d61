import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
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

  /** What keeps people from using a page, in one line each. */
  const findingsOf = async (page: Page, rules?: readonly string[]): Promise<string[]> => {
    const axe = new AxeBuilder({ page })
    const { violations } = await (rules === undefined ? axe : axe.withRules([...rules])).analyze()
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => `${new URL(page.url()).pathname}: ${id} at ${nodes.map(({ html }) => html).join(' ')}`)
  }

  // In dark the pages differ by their colours alone.
  const looks = [
    { colorScheme: 'light', rules: undefined },
    { colorScheme: 'dark', rules: ['color-contrast', 'link-in-text-block'] },
  ] as const
  for (const { colorScheme, rules } of looks) {
    // Fifteen pages, each looked at whole.
    it(`has no serious finding on any page, ${colorScheme}`, { timeout: 600_000 }, async () => {
      const { person, pages } = await furnish()
      const page = await site.openSignedOut({ colorScheme })
      await page.getByRole('heading', { name: 'Sign in' }).waitFor()
      const findings = await findingsOf(page, rules)
      const signedIn = await site.open(person, { colorScheme })
      for (const [path, text] of pages) {
        await signedIn.goto(`${site.app.url}${path}`)
        await signedIn.getByRole('heading', { level: 1 }).waitFor()
        await signedIn.getByRole('main').getByText(text).or(signedIn.getByLabel(text)).first().waitFor()
        findings.push(...(await findingsOf(signedIn, rules)))
      }
      expect(findings).toEqual([])
    })
  }
})
