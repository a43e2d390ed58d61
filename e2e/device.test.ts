import { expect, it } from 'vitest'
import { seedDevices } from '../packages/server/test/factories/seed-devices.ts'
import { findViolations } from './axe.ts'
import { describeConsole, type Person, startConsole } from './harness.ts'

const register = `mutation ($name: String!, $hardwareId: String) {
  registerDevice(name: $name, hardwareId: $hardwareId) { secret device { id } } }`

describeConsole('the device page', () => {
  const site = startConsole({ worker: true })

  const canReport = async (id: string, secret: string): Promise<boolean> => {
    const credentials = Buffer.from(`${id.replaceAll(':', '')}:${secret}`).toString('base64')
    const response = await fetch(`${site.app.url}/devices/v1/report`, {
      method: 'POST',
      headers: { authorization: `Basic ${credentials}`, 'content-type': 'application/json' },
      body: '{"attributes": {"seen": "yes"}}',
    })
    return response.ok
  }
  const newDevice = async (person: Person, name: string): Promise<{ id: string; secret: string; path: string }> => {
    const { registerDevice } = await person.data(register, { name, hardwareId: `hardware-${name}` })
    const { id } = registerDevice.device
    return { id, secret: registerDevice.secret, path: `/devices/${id}` }
  }

  it('rotates the secret, shows the new secret once, and invalidates the old secret', async () => {
    const person = await site.newPerson()
    const { id, secret, path } = await newDevice(person, 'valve')
    expect(await canReport(id, secret)).toBe(true)
    const page = await site.open(person, { path })
    await page.getByRole('button', { name: 'Rotate secret' }).click()
    const dialog = page.getByRole('dialog', { name: 'Rotate the secret' })
    await dialog.getByRole('button', { name: 'Rotate', exact: true }).click()
    const fresh = (await dialog.getByLabel('device secret', { exact: true }).textContent()) ?? ''
    await page.keyboard.press('Escape')
    expect(await canReport(id, fresh)).toBe(true)
    expect(await canReport(id, secret)).toBe(false)
    await dialog.getByRole('button', { name: 'Done' }).click()

    await page.getByRole('button', { name: 'Rotate secret' }).click()
    await dialog.getByRole('radio', { name: 'Allow the device to register again' }).check()
    expect(await dialog.getByLabel('device secret', { exact: true }).count()).toBe(0)
    await dialog.getByRole('button', { name: 'Rotate', exact: true }).click()
    await dialog.getByText('The device can register again').waitFor()
    expect(await canReport(id, fresh)).toBe(false)
    await dialog.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('tab', { name: 'Events' }).click()
    await expect.poll(() => page.getByRole('cell', { name: 'Device secret rotated' }).count()).toBe(2)
  })

  it('adds, edits, and removes services, and shows the attributes and events of a service', async () => {
    const person = await site.newPerson()
    const { id, path } = await newDevice(person, 'relay')
    const page = await site.open(person, { path: `${path}?tab=services` })
    await page.getByRole('heading', { name: 'No services yet' }).waitFor()
    await page.getByRole('button', { name: 'Add a service' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'Name' }).fill('shell')
    await dialog.getByRole('textbox', { name: 'Port' }).fill('22')
    await dialog.getByRole('button', { name: 'Add', exact: true }).click()
    const row = page.getByRole('row').filter({ has: page.getByRole('link', { name: 'shell' }) })
    await row.getByRole('cell', { name: 'SSH', exact: true }).waitFor()
    await row.getByRole('cell', { name: 'tcp 22' }).waitFor()

    await row.getByRole('button', { name: 'Edit shell' }).click()
    await dialog.getByRole('textbox', { name: 'Host' }).fill('10.0.0.7')
    await dialog.getByRole('textbox', { name: 'Port' }).fill('2222')
    await dialog.getByRole('checkbox', { name: 'Enabled' }).uncheck()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await row.getByText('disabled').waitFor()
    await row.getByRole('cell', { name: '10.0.0.7' }).waitFor()
    const { login } = await person.data(
      'query ($id: [String!]!) { login { device(id: $id) { services { name title host port enabled } } } }',
      { id: [id] },
    )
    expect(login.device[0].services).toEqual([
      { name: 'shell', title: 'SSH', host: '10.0.0.7', port: 2222, enabled: false },
    ])

    await page.getByRole('link', { name: 'shell' }).click()
    await page.getByRole('button', { name: 'Add an attribute' }).click()
    await dialog.getByRole('textbox', { name: 'Name' }).fill('login')
    await dialog.getByRole('textbox', { name: 'Value' }).fill('root')
    await dialog.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByRole('cell', { name: 'root' }).waitFor()
    await page.getByRole('tab', { name: 'Events' }).click()
    const events = page.getByRole('table', { name: 'Events' })
    await events.getByRole('row', { name: /Attributes changed.*login.*root/ }).waitFor()
    await events.getByRole('row', { name: /Service changed.*port.*22.*2222/ }).waitFor()
    await events.getByRole('row', { name: /Service added/ }).waitFor()
    await page.getByRole('button', { name: 'Remove', exact: true }).click()
    await dialog.getByRole('button', { name: 'Remove' }).click()
    await page.getByRole('heading', { name: 'No services yet' }).waitFor()
    expect(new URL(page.url()).searchParams.get('tab')).toBe('services')
  })

  it('renames the device, shows its events live, and returns to the filtered list', async () => {
    const person = await site.newPerson()
    await seedDevices(site.app.db, person.accountId, [{ name: 'other' }])
    const { id } = await newDevice(person, 'fan-1')
    const page = await site.open(person, { path: '/devices?where=fan' })
    await page.getByRole('link', { name: 'fan-1' }).click()
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill('fan-one')
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'fan-one', level: 1 }).waitFor()

    await page.getByRole('tab', { name: 'Events' }).click()
    const events = page.getByRole('table', { name: 'Events' })
    await events.getByRole('row', { name: /Device changed.*fan-1.*fan-one/ }).waitFor()
    await person.data('mutation ($id: String!) { reportState(serviceId: $id, state: "active") }', { id })
    await events.getByRole('row').nth(1).getByText('Device state').waitFor()
    await page.getByRole('main').getByText('active', { exact: true }).first().waitFor()

    await page.getByRole('main').getByRole('link', { name: 'Devices' }).click()
    await page.getByText('1 match').waitFor()
    expect(new URL(page.url()).searchParams.get('where')).toBe('fan')
  })

  it("deletes an active device only after confirmation, and does not show other users' devices", async () => {
    const [person, other] = [await site.newPerson(), await site.newPerson()]
    const { id, path } = await newDevice(person, 'motor')
    await person.data('mutation ($id: String!) { reportState(serviceId: $id, state: "active") }', { id })
    const foreign = await site.open(other, { path })
    await foreign.getByRole('heading', { name: 'Device not found' }).waitFor()
    expect(await foreign.getByText('motor').count()).toBe(0)

    const page = await site.open(person, { path })
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Delete the device' }).click()
    const dialog = page.getByRole('dialog', { name: 'Delete the device' })
    await dialog.getByRole('button', { name: 'Delete', exact: true }).click()
    await dialog
      .getByRole('alert')
      .getByText(/active/)
      .waitFor()
    await dialog.getByRole('checkbox', { name: 'Delete the device even though it is active' }).check()
    await dialog.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByRole('heading', { name: 'No devices yet' }).waitFor()
  })

  it('has no accessibility violations in the light scheme or on a phone in the dark scheme', async () => {
    const person = await site.newPerson()
    const [id = ''] = await seedDevices(site.app.db, person.accountId, [
      { attributes: { site: 'oslo', net: { ssid: 'lab' } }, overrides: { night: { site: 'riga' } } },
    ])
    await person.data('mutation ($id: String!) { addService(deviceId: $id, name: "web", port: 80) { id } }', { id })
    const looks = [{ colorScheme: 'light' }, { colorScheme: 'dark', viewport: { width: 390, height: 844 } }] as const
    for (const look of looks) {
      const page = await site.open(person, { path: `/devices/${id}?context=night`, ...look })
      for (const tab of ['Attributes', 'Services', 'Events']) {
        await page.getByRole('tab', { name: tab }).click()
        await page.getByRole('table', { name: tab }).waitFor()
        expect(await findViolations(page), tab).toEqual([])
      }
    }
  })
})
