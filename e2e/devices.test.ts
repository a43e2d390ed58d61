import type { Request } from 'playwright-core'
import { expect, it } from 'vitest'
import { type SeedDevice, seedDevices } from '../packages/server/test/factories/seed-devices.ts'
import { describeConsole, type Person, startConsole } from './harness.ts'

describeConsole('the device list', () => {
  const site = startConsole({ worker: true })

  const personWith = async (devices: readonly SeedDevice[]): Promise<Person> => {
    const person = await site.newPerson()
    await seedDevices(site.app.db, person.accountId, devices)
    return person
  }
  const numbered = (count: number, more: (index: number) => SeedDevice = () => ({})): SeedDevice[] =>
    Array.from({ length: count }, (_, index) => ({ name: `node-${index + 1}`, ...more(index) }))

  it('shows how to add the first device and adds it', async () => {
    const page = await site.open(await site.newPerson())
    await page.getByRole('heading', { name: 'No devices yet' }).waitFor()
    await page.getByRole('link', { name: 'Create a registration code' }).waitFor()
    await page.getByRole('button', { name: 'Add a device', exact: true }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('pump-1')
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Device added' })
    await dialog.getByText('pump-1').waitFor()
    await dialog.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('row').getByRole('link', { name: 'pump-1' }).waitFor()
  })

  it('filters by an attribute and stores the view in the URL and the browser history', async () => {
    const sites = ['oslo', 'riga', 'turku']
    const person = await personWith(numbered(30, (index) => ({ attributes: { net: { site: sites[index % 3] } } })))
    const page = await site.open(person)
    await page.getByText('30 in total').waitFor()
    await page.getByRole('button', { name: 'Add a condition' }).click()
    await page.getByRole('combobox', { name: 'Attribute or field' }).fill('net.site')
    await page.keyboard.press('Tab')
    await page.getByRole('dialog').getByRole('combobox', { name: 'Value' }).fill('riga')
    await page.getByRole('dialog').getByRole('button', { name: 'Apply' }).click()
    await page.getByText('10 match').waitFor()
    expect(await page.getByLabel('Search devices').inputValue()).toBe('attributes.net.site = riga')
    const names = await page.getByRole('row').getByRole('link').allTextContents()
    expect(names).toEqual([2, 5, 8, 11, 14, 17, 20, 23, 26, 29].map((number) => `node-${number}`))

    await page.getByRole('columnheader', { name: 'Name' }).getByRole('button').click()
    await page.getByRole('columnheader', { name: 'Name' }).and(page.locator('[aria-sort=descending]')).waitFor()
    await expect.poll(() => page.getByRole('row').getByRole('link').first().textContent()).toBe('node-29')
    const shared = await site.open(person, { path: new URL(page.url()).pathname + new URL(page.url()).search })
    await shared.getByText('10 match').waitFor()
    expect(await shared.getByRole('row').getByRole('link').first().textContent()).toBe('node-29')

    await page.goBack()
    await expect.poll(() => page.getByRole('row').getByRole('link').first().textContent()).toBe('node-2')
    await page.goBack()
    await page.getByText('30 in total').waitFor()
  })

  it('filters by parts of names, states, and platforms, shows them as conditions, and shows a message if nothing matches', async () => {
    const person = await personWith(
      numbered(20, (index) => ({
        state: index < 5 ? 'active' : 'inactive',
        platform: index % 2 === 0 ? 'linux' : 'windows',
      })),
    )
    const page = await site.open(person)
    await page.getByLabel('Search devices').fill('NODE-1')
    await page.getByText('11 match').waitFor()
    await page
      .getByRole('combobox', { name: 'State' })
      .or(page.getByLabel('State', { exact: true }))
      .first()
      .click()
    await page.getByRole('option', { name: 'Inactive' }).click()
    await page.getByText('10 match').waitFor()
    await page.getByRole('combobox', { name: 'Platform' }).click()
    await page.getByRole('option').first().waitFor()
    await expect.poll(() => page.getByRole('option').allTextContents()).toEqual(['linux', 'windows'])
    await page.getByRole('option', { name: 'linux' }).click()
    await page.keyboard.press('Escape')
    await page.getByText('5 match').waitFor()
    expect(await page.getByLabel('Search devices').inputValue()).toBe(
      'NODE-1 AND state = inactive AND platform = linux',
    )
    await page.getByRole('button', { name: 'Remove state is inactive' }).click()
    await page.getByText('6 match').waitFor()
    await page.getByLabel('Search devices').fill('nothing like it')
    await page.getByRole('heading', { name: 'No matching devices' }).waitFor()
    await page.getByRole('button', { name: 'Clear the filters' }).click()
    await page.getByText('20 in total').waitFor()
  })

  it('accepts and completes filters, and explains errors', async () => {
    const person = await personWith([
      { name: 'gate-1', attributes: { site: 'oslo' }, state: 'active' },
      { name: 'gate-2', attributes: { site: 'bergen' } },
      { name: 'pump-1' },
    ])
    const page = await site.open(person)
    await page.getByText('3 in total').waitFor()
    const field = page.getByLabel('Search devices')
    await field.fill('site = oslo')
    await page.getByText('1 match').waitFor()
    await field.fill('NOT site:*')
    await page.getByRole('link', { name: 'pump-1' }).waitFor()
    await page.getByText('1 match').waitFor()

    await field.fill('')
    await field.pressSequentially('si')
    await page.getByRole('option', { name: /^site/ }).click()
    await field.pressSequentially(' = ')
    await page.getByRole('option', { name: /^bergen/ }).waitFor()
    await field.press('ArrowDown')
    await field.press('Enter')
    await page.getByText('1 match').waitFor()
    expect(await field.inputValue()).toMatch(/^site = (bergen|oslo)$/)

    await field.fill('sitte = oslo')
    await page.getByText('Unknown attribute "sitte". Did you mean "site"?').waitFor()
    await page.getByRole('button', { name: 'Use site = oslo' }).click()
    await page.getByRole('link', { name: 'gate-1' }).waitFor()
    await page.getByText('1 match').waitFor()

    await field.fill('site = oslo OR site = bergen name:gate')
    await page.getByText(/AND and OR need parentheses/).waitFor()

    // The ID of a device finds it, too.
    const { login } = await person.data('{ login { devices(name: "pump") { items { id } } } }')
    await field.fill(login.devices.items[0].id)
    await page.getByRole('link', { name: 'pump-1' }).waitFor()
    await page.getByText('1 match').waitFor()
  })

  it('opens links from before the filter language', async () => {
    const person = await personWith([
      { name: 'gate "1"', state: 'active', platform: 'linux', attributes: { net: { 'a.b': 'x*' } } },
      { name: 'gate 2', state: 'active', platform: 'linux', attributes: { net: { 'a.b': 'xy' } } },
    ])
    const search = 'name=GATE&state=active&platform=["linux","bsd"]&attributes={"net.a.b":"x*"}'
    const page = await site.open(person, { path: `/devices?${search}` })
    await page.getByText('1 match').waitFor()
    await page.getByRole('link', { name: 'gate "1"' }).waitFor()
    expect(await page.getByLabel('Search devices').inputValue()).toBe(
      '(name:"GATE") AND (state = active) AND (platform = ("linux" OR "bsd")) AND (attributes."net"."a.b" = "x\\*")',
    )
  })

  it('saves the list as a view, changes the view, and deletes it', async () => {
    const person = await personWith(
      numbered(12, (index) => ({ attributes: { site: index < 4 ? 'oslo' : 'riga', rack: `r${index}` } })),
    )
    const page = await site.open(person)
    await page.getByLabel('Search devices').fill('site = oslo')
    await page.getByText('4 match').waitFor()
    await page.getByRole('columnheader', { name: 'Name' }).getByRole('button').click()
    await page.getByRole('button', { name: 'Save as view' }).click()
    const dialog = page.getByRole('dialog', { name: 'Save as view' })
    await dialog.getByLabel('Name').fill('Oslo')
    await dialog.getByRole('button', { name: 'Save view' }).click()
    await page.getByRole('link', { name: 'Oslo' }).and(page.locator('[aria-current=page]')).waitFor()
    await page.getByText('4 match').waitFor()
    await expect.poll(() => page.getByLabel('Search devices').inputValue()).toBe('')
    await expect.poll(() => page.getByRole('row').getByRole('link').first().textContent()).toBe('node-4')

    // A filter narrows the view, and can become part of it.
    await page.getByLabel('Search devices').fill('rack = (r1 OR r7)')
    await page.getByText('1 match').waitFor()
    await page.getByRole('button', { name: 'Change view' }).click()
    const change = page.getByRole('dialog', { name: 'Edit view Oslo' })
    await change.getByText('attributes.site = oslo AND rack = (r1 OR r7)').waitFor()
    await change.getByLabel('Name').fill('Oslo racks')
    await change.getByRole('button', { name: 'Save view' }).click()
    await page.getByRole('link', { name: 'Oslo racks' }).waitFor()
    const { login } = await person.data('{ login { views { name where sortBy columns { name } } } }')
    expect(login.views).toEqual([
      {
        name: 'Oslo racks',
        where: 'attributes.site = oslo AND attributes.rack = (r1 OR r7)',
        sortBy: ['name desc'],
        columns: ['name', 'state', 'services', 'platform', 'lastReported', 'attributes.rack', 'attributes.site'].map(
          (name) => ({ name }),
        ),
      },
    ])
    await page.getByRole('link', { name: 'All devices' }).click()
    await page.getByText('12 in total').waitFor()
    await page.getByRole('link', { name: 'Oslo racks' }).click()
    await page.getByText('1 match').waitFor()
    await page.getByRole('button', { name: 'Actions for view Oslo racks' }).click()
    await page.getByRole('menuitem', { name: 'Delete view' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete view' }).click()
    await page.getByText('12 in total').waitFor()
    await expect.poll(() => page.getByRole('link', { name: 'Oslo racks' }).count()).toBe(0)
  })

  it('filters by the latest input even if an earlier response arrives late', async () => {
    const person = await personWith([...numbered(3), { name: 'oven-1' }])
    const page = await site.open(person)
    await page.getByText('4 in total').waitFor()
    const names = (): Promise<string[]> => page.getByRole('row').getByRole('link').allTextContents()
    const { promise: held, resolve: release } = Promise.withResolvers<void>()
    await page.route('**/graphql/v1', async (route) => {
      const { operationName, variables } = route.request().postDataJSON()
      if (operationName === 'DevicePage' && variables.where === 'n') await held
      await route.continue()
    })
    const field = page.getByLabel('Search devices')
    const isOfN = (request: Request): boolean => request.postData()?.includes('"where":"n"') ?? false
    const requested = page.waitForRequest(isOfN)
    await field.pressSequentially('n')
    await requested
    const aborted = page.waitForEvent('requestfailed', isOfN)
    await field.press('Backspace')
    await field.pressSequentially('ov')
    await page.getByText('1 match').waitFor()
    await aborted
    release()
    await site.waitForResponses(page)
    expect(await names()).toEqual(['oven-1'])
    expect(await field.inputValue()).toBe('ov')

    // Typing adds one entry to the browser history.
    await page.goBack()
    await page.getByText('4 in total').waitFor()
    expect(await field.inputValue()).toBe('')
  })

  it('scrolls to any of thousands of devices', async () => {
    const person = await personWith(numbered(5_000))
    const page = await site.open(person)
    await page.getByText('5,000 in total').waitFor()
    const table = page.getByRole('grid', { name: 'Devices' })
    for (const number of [2_500, 4_900, 120, 5_000]) {
      await table.evaluate((element, top) => element.scrollTo({ top }), (number - 1) * 36)
      await page.getByRole('link', { name: `node-${number}`, exact: true }).waitFor()
    }
    // The DOM contains only a few rows at a time.
    expect(await page.getByRole('row').count()).toBeLessThan(100)
    const row = page.getByRole('row').filter({ has: page.getByRole('link', { name: 'node-5000', exact: true }) })
    expect(await row.getAttribute('aria-rowindex')).toBe('5001')

    // The list keeps its length in another sort order.
    await page.getByRole('columnheader', { name: 'Name' }).getByRole('button').click()
    const first = page.locator('[aria-rowindex="2"]')
    await first.getByRole('link', { name: 'node-5000', exact: true }).waitFor()
    for (const number of [3_000, 1]) {
      await table.evaluate((element, top) => element.scrollTo({ top }), (5_000 - number) * 36)
      await page.getByRole('link', { name: `node-${number}`, exact: true }).waitFor()
    }
    await page.getByText('5,000 in total').waitFor()

    // A range selection includes rows that the page never showed.
    await page.getByLabel('Select node-1', { exact: true }).click()
    await page.getByText('1 selected', { exact: true }).waitFor()
    await table.evaluate((element, top) => element.scrollTo({ top }), (5_000 - 1_500) * 36)
    await page.getByLabel('Select node-1500', { exact: true }).click({ modifiers: ['Shift'] })
    await page.getByText('1,500 selected', { exact: true }).waitFor()
  })

  it('shows state and attribute changes live and keeps the order until Refresh is pressed', async () => {
    const person = await personWith(numbered(3))
    const page = await site.open(person, {
      path: '/devices?sort=%24svc.statusA%20asc&columns=["name","state","statusA"]',
    })
    await page.getByText('3 in total').waitFor()
    const { login } = await person.data('{ login { devices { items { id name } } } }')
    const id = (name: string): string => login.devices.items.find((device: { name: string }) => device.name === name).id
    const names = (): Promise<string[]> => page.getByRole('row').getByRole('link').allTextContents()
    await person.data('mutation ($id: String!) { reportState(serviceId: $id, state: "active") }', { id: id('node-2') })
    const row = page.getByRole('row').filter({ has: page.getByRole('link', { name: 'node-2' }) })
    await row.getByText('active', { exact: true }).waitFor()
    // By now, the page has also loaded changes from before its live connection.
    await site.waitForResponses(page)
    await row.locator('time').first().hover()
    await page
      .getByRole('tooltip')
      .getByText(/^since /)
      .waitFor()
    const before = await names()
    await person.data(
      'mutation ($id: String!) { setAttribute(serviceId: $id, name: "$svc.statusA", value: "all well") }',
      { id: id('node-3') },
    )
    await page.getByRole('gridcell', { name: 'all well' }).waitFor()
    expect(await names()).toEqual(before)
    await page.getByRole('button', { name: 'Refresh' }).click()
    await expect.poll(async () => (await names())[0]).toBe('node-3')
  })

  it('adds, removes, moves, and resizes columns, and saves them for the user', async () => {
    const person = await personWith(
      numbered(3, (index) => ({
        attributes: { a: '1', b: '1', c: '1', d: '1', ...(index === 2 ? { rack: 'r2' } : {}) },
      })),
    )
    const page = await site.open(person)
    await page.getByRole('button', { name: 'Columns' }).click()
    await page.getByRole('combobox', { name: 'Add an attribute column' }).fill('rack')
    await page.getByRole('option', { name: 'rack' }).click()
    await page.getByRole('columnheader', { name: 'rack' }).waitFor()
    await page.getByRole('checkbox', { name: 'Services' }).click()
    const headers = (): Promise<string[]> => page.getByRole('columnheader').allTextContents()
    await expect.poll(headers).not.toContain('Services')
    await page.getByRole('button', { name: 'Move State to the right' }).click()
    await expect.poll(async () => (await headers()).slice(1, 4)).toEqual(['Name', 'Platform', 'State'])
    await page.getByRole('button', { name: 'Save as my columns' }).click()
    await expect.poll(() => new URL(page.url()).search).toBe('')
    await page.keyboard.press('Escape')

    const handle = page.getByRole('separator', { name: 'Width of Platform' })
    const width = Number(await handle.getAttribute('aria-valuenow'))
    await handle.press('ArrowRight')
    await expect.poll(async () => Number(await handle.getAttribute('aria-valuenow'))).toBeGreaterThan(width)

    const again = await site.open(person)
    await again.getByRole('columnheader', { name: 'rack' }).waitFor()
    await again.getByRole('gridcell', { name: 'r2' }).waitFor()
  })

  it('sets Status A on 500 selected devices and updates another window', async () => {
    const person = await personWith(
      numbered(520, (index) => ({
        name: index < 500 ? `rack-${index}` : `other-${index}`,
        statusA: index < 40 ? 'old' : null,
      })),
    )
    const [page, other] = [await site.open(person), await site.open(person, { path: '/devices?name=rack' })]
    await other.getByText('500 match').waitFor()
    await page.getByLabel('Search devices').fill('rack')
    await page.getByText('500 match').waitFor()
    await page.getByLabel('Select all matching devices').check()
    await page.getByText('500 selected').waitFor()
    await page.getByRole('button', { name: 'Set an attribute' }).click()
    const dialog = page.getByRole('dialog', { name: 'Set an attribute on 500 devices' })
    await dialog.getByRole('combobox', { name: 'Attribute' }).fill('Status A')
    await page.keyboard.press('Tab')
    await dialog.getByLabel('Value').fill('inspected')
    await dialog.getByRole('button', { name: 'Preview' }).click()
    await dialog.getByText('460 currently have no value').waitFor()
    await dialog.getByText('40 currently have “old”').waitFor()
    await dialog.getByRole('button', { name: 'Change 500 devices' }).click()
    await dialog.getByText('500 of 500 changed.').waitFor()
    await other.getByRole('gridcell', { name: 'inspected' }).first().waitFor()
    const { login } = await person.data('query ($a: Object) { login { devices(size: 1, attributes: $a) { total } } }', {
      a: { '$svc.statusA': 'inspected' },
    })
    expect(login.devices.total).toBe(500)
  })

  it('stops during a bulk change and shows the number of changed devices', async () => {
    const person = await personWith(numbered(400))
    const page = await site.open(person)
    await page.getByText('400 in total').waitFor()
    await page.getByLabel('Select all matching devices').check()
    await page.getByRole('button', { name: 'Set an attribute' }).click()
    const dialog = page.getByRole('dialog', { name: 'Set an attribute on 400 devices' })
    await dialog.getByRole('combobox', { name: 'Attribute' }).fill('owner')
    await page.keyboard.press('Tab')
    await dialog.getByLabel('Value').fill('night shift')
    await dialog.getByRole('button', { name: 'Preview' }).click()
    // The second batch waits until Stop is pressed.
    const { promise: held, resolve: release } = Promise.withResolvers<void>()
    let batches = 0
    await page.route('**/graphql/v1', async (route) => {
      if (route.request().postData()?.includes('SetAttributeOnMany') && ++batches === 2) await held
      await route.continue()
    })
    await dialog.getByRole('button', { name: 'Change 400 devices' }).click()
    await dialog.getByText('50 of 400 changed …').waitFor()
    await dialog.getByRole('button', { name: 'Stop' }).click()
    release()
    await dialog.getByText('Stopped: 100 of 400 changed, 300 unchanged.').waitFor()
    const { login } = await person.data('query ($a: Object) { login { devices(size: 1, attributes: $a) { total } } }', {
      a: { owner: 'night shift' },
    })
    expect(login.devices.total).toBe(100)
  })

  it('deletes the selected devices, but active devices only after confirmation', async () => {
    const person = await personWith(numbered(6, (index) => ({ state: index === 0 ? 'active' : 'inactive' })))
    const page = await site.open(person)
    await page.getByLabel('Select node-1', { exact: true }).click()
    await page.getByLabel('Select node-4', { exact: true }).click({ modifiers: ['Shift'] })
    await page.getByText('4 selected').waitFor()
    await page.getByRole('button', { name: 'Delete' }).click()
    const dialog = page.getByRole('dialog', { name: 'Delete devices' })
    await dialog.getByRole('button', { name: 'Delete 3 devices' }).waitFor()
    await dialog.getByLabel('Also delete the 1 active device').check()
    await dialog.getByRole('button', { name: 'Delete 4 devices' }).click()
    await dialog.getByText('4 of 4 deleted.').waitFor()
    await dialog.getByRole('button', { name: 'Close', exact: true }).last().click()
    await page.getByRole('button', { name: 'Refresh' }).click()
    await page.getByText('2 in total').waitFor()
  })

  it('is one tab stop, and keys move through its cells, sort, select, and open devices', async () => {
    const page = await site.open(await personWith(numbered(60)))
    await page.getByText('60 in total').waitFor()
    const grid = page.getByRole('grid', { name: 'Devices' })
    await page.getByRole('button', { name: 'Add a condition' }).focus()
    await page.keyboard.press('Tab')
    const focused = (): Promise<unknown> => page.evaluate('document.activeElement.getAttribute("aria-label")')
    expect(await focused()).toBe('Devices')
    const active = async (): Promise<string | null> =>
      page
        .locator(`[id="${await grid.getAttribute('aria-activedescendant')}"]`)
        .textContent({ timeout: 1000 })
        .catch(() => null)
    await expect.poll(active).toBe('node-1')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await expect.poll(active).toBe('node-3')
    await page.keyboard.press('Home')
    await page.keyboard.press('Space')
    await page.getByText('1 selected', { exact: true }).waitFor()
    await page.keyboard.press('Control+End')
    await page.keyboard.press('Home')
    await page.keyboard.press('ArrowRight')
    await expect.poll(active).toBe('node-60')
    await page.keyboard.press('Control+Home')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('Enter')
    await page.getByRole('columnheader', { name: 'Name' }).and(page.locator('[aria-sort=descending]')).waitFor()
    await expect.poll(() => page.getByRole('row').getByRole('link').first().textContent()).toBe('node-60')
    const width = (): Promise<number> =>
      page.getByRole('columnheader', { name: 'Name' }).evaluate((element) => element.getBoundingClientRect().width)
    const before = await width()
    await page.keyboard.press('Shift+ArrowRight')
    await expect.poll(width).toBe(before + 16)
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'node-60', level: 1 }).waitFor()
    expect(await focused()).not.toBe('Devices')
  })

  it('opens pages, views, and devices in the command palette, and moves to the search with /', async () => {
    const person = await personWith([{ name: 'gate-1' }, { name: 'pump "7"' }])
    await person.data('mutation { createView(name: "Gates", where: "name:gate") { id } }')
    const page = await site.open(person)
    await page.getByText('2 in total').waitFor()
    await page.keyboard.press('/')
    await page.getByLabel('Search devices').and(page.locator(':focus')).waitFor()
    await page.keyboard.press('Control+k')
    const palette = page.getByRole('textbox', { name: 'Open a page, view, or device' })
    await palette.fill('pump "7')
    await page.getByRole('button', { name: /^pump "7"/ }).click()
    await page.getByRole('heading', { name: 'pump "7"', level: 1 }).waitFor()
    await page.keyboard.press('Control+k')
    await palette.fill('gates')
    await page.getByRole('button', { name: 'Gates' }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByText('1 match').waitFor()
    // A page without a search opens the palette.
    await page.goto(`${site.app.url}/webhooks`)
    await page.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor()
    await page.keyboard.press('/')
    await palette.fill('attribute n')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Attribute names' }).waitFor()
  })

  it('deletes more than 20 devices only after the user types their number', async () => {
    const page = await site.open(await personWith(numbered(21)))
    await page.getByText('21 in total').waitFor()
    await page.getByLabel('Select all matching devices').check()
    await page.getByRole('button', { name: 'Delete' }).click()
    const dialog = page.getByRole('dialog', { name: 'Delete devices' })
    const confirm = dialog.getByRole('button', { name: 'Delete 21 devices' })
    await confirm.waitFor()
    expect(await confirm.isDisabled()).toBe(true)
    await dialog.getByLabel('To delete 21 devices, type their number').fill('20')
    expect(await confirm.isDisabled()).toBe(true)
    await dialog.getByLabel('To delete 21 devices, type their number').fill('21')
    await confirm.click()
    await dialog.getByText('21 of 21 deleted.').waitFor()
  })
})
