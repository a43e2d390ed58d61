import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { samplePresence } from '../packages/server/src/features/availability/presence-samples.jobs.ts'
import { seedDevices } from '../packages/server/test/factories/seed-devices.ts'
import { describeConsole, startConsole } from './harness.ts'

const WEEK_MS = 7 * 86_400_000

describeConsole('the overview', () => {
  const site = startConsole({ worker: true })

  it('is the first page, links numbers to the devices that they count, and shows changes live', async () => {
    const person = await site.newPerson()
    const now = Date.now()
    await seedDevices(
      site.app.db,
      person.accountId,
      Array.from({ length: 12 }, (_, index) => ({
        name: `pump-${index + 1}`,
        state: index < 5 ? 'active' : 'inactive',
        attributes: index < 10 ? { site: index % 2 === 0 ? 'oslo' : 'riga' } : {},
        created: new Date(now - (index < 3 ? 0.1 : 2) * WEEK_MS),
        ...(index < 8 ? { lastReported: new Date(now - (index + 1) * 3_600_000) } : {}),
      })),
    )
    for (const minutes of [15, 10, 5]) await samplePresence(site.app.db, new Date(now - minutes * 60_000))
    const page = await site.open(person, { path: '/' })
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
    const count = (label: string) => page.getByRole('link', { name: label, exact: true })
    await count('Active: 5').waitFor()
    await count('Inactive: 7').waitFor()
    await count('Never reported: 4').waitFor()
    await count('Registered in the last 7 days: 3').waitFor()
    const bySite = page.getByRole('table', { name: 'Active devices by site' })
    await expect
      .poll(() => bySite.getByRole('row').allTextContents())
      .toEqual(['siteActiveDevices', 'oslo35', 'riga25', 'No value02'])
    const stalest = page.getByRole('region', { name: 'Longest without a report' }).getByRole('listitem')
    expect((await stalest.allTextContents())[0]).toMatch(/^pump-88 h ago$/)

    const active = page.getByRole('region', { name: 'Active devices' }).first()
    await active.getByRole('figure').waitFor()
    await active.getByText('Table', { exact: true }).click()
    const samples = active.getByRole('table', { name: 'Active devices' })
    // The table lists more than three samples if the server has taken another sample since the test began.
    await expect.poll(() => samples.getByRole('row').count()).toBeGreaterThanOrEqual(1 + 3)
    expect(await samples.getByRole('cell').nth(1).textContent()).toBe('5')

    for (const [link, matches] of [
      [count('Inactive: 7'), '7 match'],
      [bySite.getByRole('row', { name: 'oslo' }).getByRole('link').first(), '3 match'],
      [bySite.getByRole('row', { name: 'No value' }).getByRole('link').last(), '2 match'],
    ] as const) {
      await link.click()
      await page.getByText(matches).waitFor()
      await page.goBack()
      await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
    }

    const { login } = await person.data('{ login { devices(name: "pump-12") { items { id } } } }')
    await person.data('mutation ($id: String!) { reportState(serviceId: $id, state: "active") }', {
      id: login.devices.items[0].id,
    })
    await page.getByRole('region', { name: 'Newest events' }).getByRole('link', { name: 'pump-12' }).waitFor()
    await count('Active: 6').waitFor()
  })

  it('distinguishes attributes from fields with the same name', async () => {
    const person = await site.newPerson()
    await seedDevices(
      site.app.db,
      person.accountId,
      Array.from({ length: 17 }, (_, index) => ({
        name: `pump-${index + 1}`,
        attributes: index < 15 ? { rack: `r${index}`, state: 'worn' } : {},
      })),
    )
    const page = await site.open(person, { path: '/overview?by=attributes.rack' })
    const byRack = page.getByRole('table', { name: 'Active devices by attributes.rack' })
    for (const [row, matches] of [
      ['Other values', '3 match'],
      ['No value', '2 match'],
    ] as const) {
      await byRack.getByRole('row', { name: row }).getByRole('link').last().click()
      await page.getByText(matches).waitFor()
      await page.goBack()
    }
    await page.getByRole('combobox', { name: 'Attribute or field' }).click()
    await page.getByRole('option', { name: 'attributes.state' }).click()
    const byState = page.getByRole('table', { name: 'Active devices by attributes.state' })
    await byState.getByRole('row', { name: 'worn' }).getByRole('link').last().click()
    await page.getByText('15 match').waitFor()

    await page.getByRole('button', { name: 'Add a condition' }).click()
    const form = page.getByRole('dialog')
    await form.getByRole('combobox', { name: 'Attribute or field' }).click()
    await form.getByRole('option', { name: 'attributes.state' }).click()
    await form.getByRole('combobox', { name: 'Value' }).click()
    await form.getByRole('option', { name: 'worn' }).click()
    await form.getByRole('button', { name: 'Apply' }).click()
    await page.getByRole('button', { name: 'Remove attributes.state is worn' }).nth(1).waitFor()
    await page.getByText('15 match').waitFor()
  })

  it('shows a new user how to register the first device', async () => {
    const page = await site.open(await site.newPerson(), { path: '/overview' })
    await page.getByRole('heading', { name: 'No devices yet' }).waitFor()
    await page.getByRole('link', { name: 'Create a registration code' }).waitFor()
  })

  it('lists the services of all devices', async () => {
    const person = await site.newPerson()
    const add = (name: string, services: unknown[]) =>
      person.data(
        'mutation ($name: String!, $services: [ServiceInput!]) { registerDevice(name: $name, services: $services) { secret } }',
        { name, services },
      )
    await add('gate', [
      { name: 'ssh', application: 28, port: 22 },
      { name: 'web', application: 7, port: 8080 },
    ])
    await add('pump', [{ name: 'ssh', application: 28, port: 2022 }])
    const page = await site.open(person, { path: '/overview' })
    await page.getByRole('link', { name: 'Services' }).click()
    await page.getByText('3 in total').waitFor()
    const rows = async (): Promise<string[]> => {
      const links = await page.getByRole('row').getByRole('link').allTextContents()
      return links.filter((_, index) => index % 2 === 0).map((name, index) => `${name} of ${links[index * 2 + 1]}`)
    }
    await expect.poll(rows).toEqual(['ssh of gate', 'web of gate', 'ssh of pump'])
    await page.getByRole('button', { name: 'Port' }).click()
    await page.getByRole('button', { name: 'Port' }).click()
    await expect.poll(rows).toEqual(['web of gate', 'ssh of pump', 'ssh of gate'])
    await page
      .getByRole('link', { name: 'Services', exact: true })
      .and(page.locator('[aria-current=page][data-active]'))
      .waitFor()
    await page.getByLabel('Search services').fill('port > 1000 AND device.name:pu')
    await page.getByText('1 match').waitFor()
    await expect.poll(rows).toEqual(['ssh of pump'])
    // Close the list of completions, which covers the conditions.
    await page.getByLabel('Search services').blur()
    await page.getByRole('button', { name: 'Remove device.name contains pu' }).click()
    await page.getByText('2 match').waitFor()
    await page.getByLabel('Search services').fill('')
    await page.getByRole('combobox', { name: 'Service type' }).click()
    await page.getByRole('option', { name: 'SSH' }).click()
    await page.getByText('2 match').waitFor()
    expect(await page.getByLabel('Search services').inputValue()).toBe('application = 28')

    await page.getByRole('button', { name: 'Device' }).click()
    await page.getByRole('columnheader', { name: 'Device' }).and(page.locator('[aria-sort=ascending]')).waitFor()
    await page.getByRole('button', { name: 'Device' }).click()
    await page.getByRole('columnheader', { name: 'Device' }).and(page.locator('[aria-sort=descending]')).waitFor()
    await expect.poll(rows).toEqual(['ssh of pump', 'ssh of gate'])
    await page.getByRole('button', { name: 'Save as view' }).click()
    const dialog = page.getByRole('dialog', { name: 'Save as view' })
    await dialog.getByLabel('Name').fill('Shells')
    await dialog.getByRole('button', { name: 'Save view' }).click()
    await page.getByRole('link', { name: 'Shells' }).and(page.locator('[aria-current=page]')).waitFor()
    await expect.poll(() => page.getByLabel('Search services').inputValue()).toBe('')
    await expect.poll(rows).toEqual(['ssh of pump', 'ssh of gate'])
    const { login } = await person.data('{ login { views { kind where sortBy } } }')
    expect(login.views).toEqual([{ kind: 'SERVICES', where: 'application = 28', sortBy: ['device.name desc', 'name'] }])
    await page.getByRole('link', { name: 'All services' }).click()
    await page.getByText('3 in total').waitFor()
    await person.data('mutation ($id: ID!) { deleteView(id: $id) }', {
      id: (await person.data('{ login { views { id } } }')).login.views[0].id,
    })
    await page.getByRole('link', { name: 'Shells' }).click()
    await page.getByText('The services could not be loaded').waitFor()
    expect(await rows()).toEqual([])
  })

  it('shows how long a device was active, and updates the table when the state changes', async () => {
    const person = await site.newPerson()
    const created = new Date(Date.now() - 10 * 3_600_000)
    const [id] = await seedDevices(site.app.db, person.accountId, [{ name: 'fan', created, state: 'inactive' }])
    await sql`delete from event where account_id = ${person.accountId}`.execute(site.app.db)
    const changes = [null, 'active', 'inactive'].map((state, index) => [
      new Date(created.getTime() + index * 4 * 3_600_000),
      state,
    ])
    for (const [at, state] of changes) {
      await sql`insert into event (account_id, "timestamp", type, device_id, targets, state, data)
        values (${person.accountId}, ${at}, ${state === null ? 'DEVICE_REGISTER' : 'DEVICE_STATE'}, ${id}, '[]', ${state}, '{}')`.execute(
        site.app.db,
      )
    }
    const page = await site.open(person, { path: `/devices/${id}` })
    const part = page.getByRole('region', { name: 'Availability' }).first()
    await part.getByText(/^(40|39\.\d+)% active · 1 outage · longest time inactive 4 h/).waitFor()
    await part.getByRole('button', { name: 'Show table' }).click()
    const states = async () =>
      (await part.getByRole('row').allTextContents()).map((text) => /(in)?active/.exec(text)?.[0])
    await expect.poll(states).toEqual([undefined, 'inactive', 'active', 'inactive'])
    await person.data('mutation ($id: String!) { reportState(serviceId: $id, state: "active") }', { id })
    await expect.poll(states).toEqual([undefined, 'active', 'inactive', 'active', 'inactive'])
  })
})
