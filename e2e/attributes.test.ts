import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { passTime } from '../packages/server/test/api/value-times.ts'
import { type SeedDevice, seedDevices } from '../packages/server/test/factories/seed-devices.ts'
import { findViolations, findViolationsInBothSchemes } from './axe.ts'
import { describeConsole, type Person, startConsole } from './harness.ts'

describeConsole('device attributes', () => {
  const site = startConsole({ worker: true })

  const personWith = async (device: SeedDevice): Promise<{ person: Person; id: string; path: string }> => {
    const person = await site.newPerson()
    const [id = ''] = await seedDevices(site.app.db, person.accountId, [device])
    return { person, id, path: `/devices/${id}` }
  }
  const set = (person: Person, variables: Record<string, string | null>): Promise<unknown> =>
    person.data(
      `mutation ($id: String!, $name: String!, $value: String, $context: String) {
        setAttribute(serviceId: $id, name: $name, value: $value, context: $context) }`,
      variables,
    )
  const read = async (person: Person, id: string, context: string | null): Promise<unknown> => {
    const document = 'query ($id: [String!]!, $c: String) { login { device(id: $id) { attributes(context: $c) } } }'
    return (await person.data(document, { id: [id], c: context })).login.device[0].attributes
  }
  const row = (page: Page, name: string) =>
    page.getByRole('row').filter({ has: page.getByRole('rowheader', { name, exact: true }) })
  const overflowOf = (page: Page): Promise<string[]> =>
    page
      .getByRole('table', { name: 'Attributes' })
      .evaluate(
        (table, width) =>
          [table, ...table.querySelectorAll('tbody *')]
            .filter((element) => element.getBoundingClientRect().right > width)
            .map((element) => element.getAttribute('aria-label') ?? element.textContent ?? ''),
        page.viewportSize()?.width ?? 0,
      )
  const editor = (page: Page, name: string) => page.getByRole('textbox', { name: `Value of ${name}`, exact: true })

  it('overrides a value in a context until the override is removed', async () => {
    const { person, id, path } = await personWith({ name: 'lamp', attributes: { level: '80', net: { ssid: 'lab' } } })
    const page = await site.open(person, { path })
    await row(page, 'level').getByText('80').waitFor()

    await page.getByRole('button', { name: 'New context' }).click()
    await page.getByLabel('Name of the context').fill('night')
    await page.getByRole('button', { name: 'Show this context' }).click()
    await page.getByRole('columnheader', { name: 'In “night”' }).waitFor()
    await row(page, 'level').getByRole('cell', { name: 'base', exact: true }).waitFor()
    await page.getByRole('button', { name: 'Override level' }).click()
    await editor(page, 'the override of level').fill('20')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await row(page, 'level').getByRole('cell', { name: 'override', exact: true }).waitFor()
    expect(await row(page, 'level').getByRole('cell').allTextContents()).toEqual(['80', '20', 'override'])
    expect(await read(person, id, 'night')).toEqual({ level: '20', net: { ssid: 'lab' } })
    expect(await read(person, id, null)).toEqual({ level: '80', net: { ssid: 'lab' } })

    // The override must remain even if the base value changes to the override's value.
    await set(person, { id, name: 'level', value: '20' })
    await expect.poll(() => row(page, 'level').getByRole('cell').allTextContents()).toEqual(['20', '20', 'override'])
    await set(person, { id, name: 'level', value: '80' })

    // A second page with the same URL must show the same context.
    const shared = await site.open(person, { path: new URL(page.url()).pathname + new URL(page.url()).search })
    await row(shared, 'level').getByRole('cell', { name: 'override', exact: true }).waitFor()
    await row(shared, 'ssid').getByRole('cell', { name: 'base', exact: true }).waitFor()

    await shared.setViewportSize({ width: 360, height: 740 })
    await expect.poll(() => overflowOf(shared)).toEqual([])
    await row(shared, 'level').getByRole('button', { name: 'Edit the override of level' }).click()
    await expect.poll(() => overflowOf(shared)).toEqual([])
    await shared.getByRole('button', { name: 'Cancel', exact: true }).click()

    await page.getByRole('button', { name: 'Remove the override of level' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await row(page, 'level').getByRole('cell', { name: 'base', exact: true }).waitFor()
    await row(shared, 'level').getByRole('cell', { name: 'base', exact: true }).waitFor()
    expect(await read(person, id, 'night')).toEqual({ level: '80', net: { ssid: 'lab' } })
  })

  it('adds multi-line values in groups, and shows why the server rejects a name', async () => {
    const { person, id, path } = await personWith({ name: 'gate' })
    const page = await site.open(person, { path })
    await page.getByRole('heading', { name: 'No attributes yet' }).waitFor()
    await page.getByRole('button', { name: 'Add an attribute' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add an attribute' })
    const name = dialog.getByRole('textbox', { name: 'Name' })
    await name.fill('net.notes')
    await dialog.getByRole('textbox', { name: 'Value' }).fill('first\n  second')
    await dialog.getByRole('button', { name: 'Add', exact: true }).click()
    await row(page, 'notes').getByText('second').waitFor()
    expect(await read(person, id, null)).toEqual({ net: { notes: 'first\n  second' } })

    await page.getByRole('button', { name: 'Add an attribute' }).click()
    for (const [rejected, reason] of [
      ['net', /is already a group/],
      ['$own', /is reserved/],
      ['net.', /must not begin or end with a dot/],
    ] as const) {
      await name.fill(rejected)
      await dialog.getByRole('button', { name: 'Add', exact: true }).click()
      await dialog.getByText(reason).waitFor()
      expect(await name.getAttribute('aria-invalid')).toBe('true')
    }
    await name.fill('net.notes')
    await dialog.getByText('Saving replaces it').waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()

    await page.getByRole('button', { name: 'Remove the group net' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await page.getByRole('heading', { name: 'No attributes yet' }).waitFor()
    expect(await read(person, id, null)).toEqual({})
  })

  it('keeps unsaved input, and marks values that changed in the meantime', async () => {
    const { person, id, path } = await personWith({
      name: 'pump',
      statusA: 'old',
      attributes: { rack: 'r1', row: '1' },
    })
    const page = await site.open(person, { path })
    await page.getByRole('button', { name: 'Edit rack' }).click()
    await editor(page, 'rack').fill('mine')
    await page.getByLabel('Status A').fill('checked')
    await set(person, { id, name: 'row', value: '2' })
    await row(page, 'row').getByText('2', { exact: true }).waitFor()
    await set(person, { id, name: 'rack', value: 'theirs' })
    await set(person, { id, name: '$svc.statusA', value: 'broken' })
    await row(page, 'rack').getByText('theirs').waitFor()
    expect(await editor(page, 'rack').inputValue()).toBe('mine')
    await page.getByRole('form', { name: 'Category and Status' }).getByText('broken').waitFor()
    expect(await page.getByLabel('Status A').inputValue()).toBe('checked')

    // The page must also mark a removed attribute.
    await set(person, { id, name: 'rack', value: null })
    await page.getByText('Removed in the meantime').waitFor()
    expect(await editor(page, 'rack').inputValue()).toBe('mine')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await row(page, 'rack').getByText('mine').waitFor()
    await page.getByRole('button', { name: 'Save the change' }).click()
    await page.getByRole('button', { name: 'Save the change' }).waitFor({ state: 'detached' })
    expect(await read(person, id, null)).toEqual({ $svc: { statusA: 'checked' }, rack: 'mine', row: '2' })
  })

  it('shows who or what changed an attribute, in the base and in contexts, page by page', async () => {
    const { person, id, path } = await personWith({ name: 'lamp', attributes: { level: '80' } })
    for (let level = 1; level <= 51; level++) await set(person, { id, name: 'level', value: `${level}` })
    await set(person, { id, name: 'level', value: '20', context: 'night' })
    await set(person, { id, name: 'level', value: null, context: 'night' })
    const page = await site.open(person, { path })
    await page.getByRole('button', { name: 'Edit level' }).click()
    await editor(page, 'level').fill('90')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await row(page, 'level').getByText('90').waitFor()

    await page.getByRole('button', { name: 'History of level' }).click()
    const dialog = page.getByRole('dialog', { name: 'History of level' })
    const changes = dialog.getByRole('listitem')
    await changes.first().waitFor()
    expect(await findViolations(page)).toEqual([])
    const lines = await changes.allTextContents()
    expect(lines).toHaveLength(50)
    expect(lines[0]).toMatch(/90.*before:.*51.*console/)
    expect(lines[1]).toMatch(/in “night”.*Removed.*before:.*20.*key /)
    expect(lines[2]).toMatch(/in “night”.*20.*key /)
    expect(lines[3]).toMatch(/51.*before:.*50.*key /)
    await dialog.getByRole('button', { name: 'Load older changes' }).click()
    await expect.poll(() => changes.count()).toBe(54)
    expect(await dialog.getByRole('button', { name: 'Load older changes' }).count()).toBe(0)
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
  })

  it('lists and edits the intervals of attributes, and marks stale values with their age', async () => {
    const { person, id, path } = await personWith({
      name: 'lamp',
      statusA: 'ok',
      attributes: { level: '80', load: '1' },
    })
    const page = await site.open(person, { path: '/account/attributes' })
    const dialog = page.getByRole('dialog')
    await page.getByText('No attribute has an expected interval').waitFor()
    for (const [name, count] of [
      ['load', '0.5'],
      ['load', '20'],
      ['$svc.statusA', '30'],
    ] as const) {
      await page.getByRole('button', { name: 'Set an interval' }).click()
      await dialog.getByRole('combobox', { name: 'Attribute' }).fill(name)
      await dialog.getByLabel('Expected every').fill(count)
      await dialog.getByRole('button', { name: 'Save' }).click()
      if (count === '0.5') {
        await dialog.getByText('The interval in seconds').waitFor()
        await dialog.getByRole('button', { name: 'Cancel' }).click()
      }
      await dialog.waitFor({ state: 'detached' })
    }
    const rules = page.getByRole('table', { name: 'Freshness' })
    await rules.getByRole('row', { name: 'load every 20 minutes 0' }).waitFor()
    await rules.getByRole('row', { name: '$svc.statusA every 30 minutes 0' }).waitFor()

    await set(person, { id, name: 'load', value: '2' })
    await set(person, { id, name: '$svc.statusA', value: 'late' })
    await passTime(site.app, person, 2 * 3_600)
    await set(person, { id, name: 'level', value: '90' })
    await page.reload()
    await rules.getByRole('link', { name: '1 device with a stale value of $svc.statusA' }).waitFor()
    await rules.getByRole('link', { name: '1 device with a stale value of load' }).click()
    await page.getByText('1 match').waitFor()
    expect(await page.getByLabel('Search devices').inputValue()).toBe('stale(load)')
    await page.goto(`${site.app.url}${path}`)
    await row(page, 'load')
      .getByText(/Stale: last written 2 h ago/)
      .waitFor()
    await page
      .getByRole('form', { name: 'Category and Status' })
      .getByText(/Stale: last written 2 h ago/)
      .waitFor()
    expect(await row(page, 'level').getByText('Stale').count()).toBe(0)
    expect(await findViolationsInBothSchemes(page)).toEqual([])

    await page.getByRole('button', { name: 'Edit load' }).click()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await row(page, 'load').getByText('Stale').waitFor({ state: 'detached' })
    await page.goto(`${site.app.url}/account/attributes`)
    await rules.getByRole('row', { name: 'load every 20 minutes 0' }).waitFor()
    await page.getByRole('button', { name: 'Change the interval of load' }).click()
    await dialog.getByLabel('Expected every').fill('1')
    await dialog.getByRole('combobox', { name: 'Unit' }).click()
    await page.getByRole('option', { name: 'hours' }).click()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await rules.getByRole('row', { name: 'load every hour 0' }).waitFor()
    await page.getByRole('button', { name: 'Remove the interval of load' }).click()
    await dialog.getByRole('button', { name: 'Remove interval' }).click()
    await rules.getByText('load').waitFor({ state: 'detached' })
    const { login } = await person.data('{ login { freshness { name seconds } } }')
    expect(login.freshness).toEqual([{ name: '$svc.statusA', seconds: 1_800 }])
  })

  it('requests the attribute names once for all pages, and again after a change', async () => {
    const { person } = await personWith({ name: 'lamp', attributes: { level: '80' } })
    const page = await site.open(person, { path: '/devices' })
    let requests = 0
    page.on('request', (request) => {
      if (request.postData()?.includes('attributeNames')) requests++
    })
    const showList = async (): Promise<void> => {
      await page.getByRole('navigation').getByRole('link', { name: 'Devices', exact: true }).click()
      await page.getByRole('link', { name: 'lamp', exact: true }).waitFor()
      await site.waitForResponses(page)
    }
    const showDevice = () => page.getByRole('link', { name: 'lamp', exact: true }).click()
    await site.waitForResponses(page)
    await showDevice()
    await row(page, 'level').waitFor()
    await showList()
    expect(requests).toBe(0)

    await showDevice()
    await page.getByRole('button', { name: 'Edit level' }).click()
    await editor(page, 'level').fill('20')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await row(page, 'level').getByText('20').waitFor()
    await showList()
    expect(requests).toBe(1)
  })
})
