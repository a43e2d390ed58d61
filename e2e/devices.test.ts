import { expect, it } from 'vitest'
import { describeConsole, startConsole } from './harness.ts'
import { numbered, personWith } from './seeded.ts'

describeConsole('the device list', () => {
  const site = startConsole({ worker: true })

  it('explains how to add the first device, and adds it', async () => {
    const page = await site.open(await site.newPerson())
    await page.getByRole('heading', { name: 'No devices yet' }).waitFor()
    await page.getByRole('link', { name: 'Create a registration code' }).waitFor()
    await page.getByRole('button', { name: 'Add a device', exact: true }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('pump-1')
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Device added' })
    await dialog.getByText('pump-1').waitFor()
    // The dialog shows the secret only once, so it must not close by accident.
    await page.keyboard.press('Escape')
    await page.mouse.click(5, 5)
    await dialog.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('row').getByRole('link', { name: 'pump-1' }).waitFor()
  })

  it('scrolls to any of thousands of devices', async () => {
    const person = await personWith(site, numbered(5_000))
    const page = await site.open(person)
    await page.getByText('5,000 in total').waitFor()
    const table = page.getByRole('grid', { name: 'Devices' })
    for (const number of [2_500, 4_900, 120, 5_000]) {
      await table.evaluate((element, top) => element.scrollTo({ top }), (number - 1) * 36)
      await page.getByRole('link', { name: `node-${number}`, exact: true }).waitFor()
    }
    expect(await page.getByRole('row').count()).toBeLessThan(100)
    const row = page.getByRole('row').filter({ has: page.getByRole('link', { name: 'node-5000', exact: true }) })
    expect(await row.getAttribute('aria-rowindex')).toBe('5001')

    await page.getByRole('columnheader', { name: 'Name' }).getByRole('button').click()
    const first = page.locator('[aria-rowindex="2"]')
    await first.getByRole('link', { name: 'node-5000', exact: true }).waitFor()
    for (const number of [3_000, 1]) {
      await table.evaluate((element, top) => element.scrollTo({ top }), (5_000 - number) * 36)
      await page.getByRole('link', { name: `node-${number}`, exact: true }).waitFor()
    }
    await page.getByText('5,000 in total').waitFor()

    // A range selection must include rows that the page has never shown.
    await page.getByLabel('Select node-1', { exact: true }).click()
    await page.getByText('1 selected', { exact: true }).waitFor()
    await table.evaluate((element, top) => element.scrollTo({ top }), (5_000 - 1_500) * 36)
    await page.getByLabel('Select node-1500', { exact: true }).click({ modifiers: ['Shift'] })
    await page.getByText('1,500 selected', { exact: true }).waitFor()
  })

  it('shows state and attribute changes live, and keeps the order until the user refreshes the list', async () => {
    const person = await personWith(site, numbered(3))
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

  it('adds, removes, moves, and resizes columns, and saves the columns for the user', async () => {
    const person = await personWith(
      site,
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

  it('is one tab stop, and moves through cells, sorts, selects, and opens devices with the keyboard', async () => {
    const page = await site.open(await personWith(site, numbered(60)))
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

  it('opens pages, views, and devices in the command palette, and focuses the search with the / key', async () => {
    const person = await personWith(site, [{ name: 'gate-1' }, { name: 'pump "7"' }])
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
    // On a page without a search, the / key must open the palette.
    await page.goto(`${site.app.url}/webhooks`)
    await page.getByRole('heading', { name: 'No webhooks yet' }).waitFor()
    await page.keyboard.press('/')
    await palette.fill('attribute n')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Attribute names' }).waitFor()

    await page.keyboard.press('Control+k')
    await palette.waitFor()
    await page.goBack()
    await palette.waitFor({ state: 'hidden' })
  })
})
