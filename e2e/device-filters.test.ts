import { sql } from 'kysely'
import type { Request } from 'playwright-core'
import { expect, it } from 'vitest'
import { describeConsole, startConsole } from './harness.ts'
import { numbered, personWith } from './seeded.ts'

describeConsole('filters of the device list', () => {
  const site = startConsole({ worker: true })

  it('filters by an attribute, and stores filter and sort order in the URL and the browser history', async () => {
    const sites = ['oslo', 'riga', 'turku']
    const person = await personWith(
      site,
      numbered(30, (index) => ({ attributes: { net: { site: sites[index % 3] } } })),
    )
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

  it('filters by name, state, and platform, shows the filters as conditions, and reports an empty result', async () => {
    const person = await personWith(
      site,
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

  it('accepts filters, completes them, and explains errors', async () => {
    const person = await personWith(site, [
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
    await page.getByText(/To combine AND and OR, use parentheses/).waitFor()

    // The search must also find a device by its ID.
    const { login } = await person.data('{ login { devices(name: "pump") { items { id } } } }')
    await field.fill(login.devices.items[0].id)
    await page.getByRole('link', { name: 'pump-1' }).waitFor()
    await page.getByText('1 match').waitFor()
  })

  it('closes suggestions in the form of a condition with Escape, and then the form', async () => {
    const person = await personWith(site, [{ name: 'gate-1', attributes: { site: 'oslo' } }])
    const page = await site.open(person)
    const button = page.getByRole('button', { name: 'Add a condition' })
    await button.click()
    const name = page.getByRole('combobox', { name: 'Attribute or field' })
    await name.fill('si')
    await page.getByRole('option', { name: 'site' }).waitFor()
    await name.press('Escape')
    await page.getByRole('option', { name: 'site' }).waitFor({ state: 'detached' })
    expect(await name.inputValue()).toBe('si')
    await name.press('Escape')
    await name.waitFor({ state: 'detached' })
    await button.and(page.locator(':focus')).waitFor()
  })

  it('completes the names of contexts and views', async () => {
    const person = await personWith(site, [
      { name: 'gate-1', attributes: { site: 'oslo' }, overrides: { night: { site: 'closed' } } },
      { name: 'pump-1', attributes: { site: 'oslo' } },
    ])
    const { createView } = await person.data('mutation { createView(name: "Gates", where: "name:gate") { id } }')
    const page = await site.open(person)
    await page.getByText('2 in total').waitFor()
    const field = page.getByLabel('Search devices')
    await field.pressSequentially('view(')
    await page.getByRole('option', { name: /^Gates/ }).click()
    await field.press('End')
    await field.pressSequentially(')')
    expect(await field.inputValue()).toBe(`view(${createView.id})`)
    await page.getByText('1 match').waitFor()
    await page.getByRole('group', { name: 'Conditions' }).getByText('in view Gates').waitFor()

    await field.fill('')
    await field.pressSequentially('in(')
    await page.getByRole('option', { name: /^"night"/ }).click()
    await field.pressSequentially(', si')
    await page.getByRole('option', { name: /^site/ }).click()
    await field.pressSequentially(') = closed')
    expect(await field.inputValue()).toBe('in("night", site) = closed')
    await page.getByRole('link', { name: 'gate-1' }).waitFor()
    await page.getByText('1 match').waitFor()
  })

  it('opens links from releases that had no filter language', async () => {
    const person = await personWith(site, [
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
      site,
      numbered(12, (index) => ({ attributes: { site: index < 4 ? 'oslo' : 'riga', rack: `r${index}` } })),
    )
    const { createView } = await person.data('mutation { createView(name: "Riga", where: "site = riga") { id } }')
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

    // A filter narrows the view. The user can save the filter as part of the view.
    await page.getByLabel('Search devices').fill('rack = (r1 OR r7)')
    await page.getByText('1 match').waitFor()
    await page.getByRole('button', { name: 'Update view' }).click()
    const change = page.getByRole('dialog', { name: 'Edit view Oslo' })
    await change.getByText('attributes.site = oslo AND rack = (r1 OR r7)').waitFor()
    await change.getByLabel('Name').fill('Oslo racks')
    await change.getByRole('button', { name: 'Save view' }).click()
    await page.getByRole('link', { name: 'Oslo racks' }).waitFor()
    const { login } = await person.data('{ login { views { id name where sortBy columns { name } } } }')
    expect(login.views).toMatchObject([
      {
        name: 'Oslo racks',
        where: 'attributes.site = oslo AND attributes.rack = (r1 OR r7)',
        sortBy: ['name desc'],
        columns: ['name', 'state', 'services', 'platform', 'lastReported', 'attributes.rack', 'attributes.site'].map(
          (name) => ({ name }),
        ),
      },
      { name: 'Riga' },
    ])
    await page.getByRole('link', { name: 'All devices' }).click()
    await page.getByText('12 in total').waitFor()
    await page.getByRole('link', { name: 'Oslo racks' }).click()
    await page.getByText('1 match').waitFor()
    await page.getByRole('button', { name: 'Actions for view Oslo racks' }).click()
    // A view in use can be deleted only with a replacement.
    await person.data(
      'mutation ($view: ID!) { createWebhook(url: "https://example.com/", name: "alerts", view: $view) { id } }',
      { view: login.views[0].id },
    )
    await page.getByRole('menuitem', { name: 'Delete view' }).click()
    const deletion = page.getByRole('dialog', { name: 'Delete view Oslo racks' })
    await deletion.getByText('The view is in use by the webhook alerts.').waitFor()
    await deletion.getByRole('button', { name: 'Delete view' }).click()
    await deletion.getByText(/is in use by the webhook "alerts"/).waitFor()
    await deletion.getByRole('combobox', { name: 'Replacement' }).click()
    await page.getByRole('option', { name: 'Riga' }).click()
    await deletion.getByRole('button', { name: 'Delete view' }).click()
    await page.getByText('12 in total').waitFor()
    await expect.poll(() => page.getByRole('link', { name: 'Oslo racks' }).count()).toBe(0)
    const { login: after } = await person.data('{ login { webhooks { view { id } } } }')
    expect(after.webhooks).toEqual([{ view: { id: createView.id } }])
  })

  it('shows why the server rejects a saved view, with and without a filter', async () => {
    const person = await personWith(site, [{ name: 'gate-1' }])
    const { createView } = await person.data('mutation { createView(name: "Gates", where: "name:gate") { id } }')
    const change = (column: string, value: string | string[]) =>
      sql`update saved_view set ${sql.ref(column)} = ${value} where account_id = ${person.accountId}`.execute(
        site.app.db,
      )
    await change('filter', 'attributes.site ~ oslo')
    const page = await site.open(person, { path: `/devices?view=${createView.id}` })
    const notice = page.getByRole('alert').filter({ hasText: 'The devices could not be loaded' })
    await notice.getByText('the view "Gates" is invalid').waitFor()
    await page.getByLabel('Search devices').fill('gate')
    await page.waitForURL(/where=gate/)
    await notice.getByText('the view "Gates" is invalid').waitFor()
    expect(await page.getByLabel('Search devices').getAttribute('aria-describedby')).toBeNull()

    await page.getByLabel('Search devices').fill('')
    await change('filter', 'name:gate')
    await change('sort_by', ['nothing!'])
    await page.reload()
    await notice.getByText('sortBy').waitFor()
  })

  it('cancels the request for earlier input, and filters by the latest input', async () => {
    const person = await personWith(site, [...numbered(3), { name: 'oven-1' }])
    const page = await site.open(person)
    await page.getByText('4 in total').waitFor()
    const names = (): Promise<string[]> => page.getByRole('row').getByRole('link').allTextContents()
    const { promise: held, resolve: release } = Promise.withResolvers<void>()
    const isOfN = (request: Request): boolean => {
      const { operationName, variables } = request.postDataJSON() ?? {}
      return operationName === 'DevicePage' && variables.where === 'n'
    }
    await page.route('**/graphql/v1', async (route) => {
      if (isOfN(route.request())) await held
      await route.continue()
    })
    const field = page.getByLabel('Search devices')
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

    // Typing must add only one entry to the browser history.
    await page.goBack()
    await page.getByText('4 in total').waitFor()
    expect(await field.inputValue()).toBe('')
  })
})
