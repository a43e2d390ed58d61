import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { addMember } from '../packages/server/test/factories/member.ts'
import { findViolations } from './axe.ts'
import { describeConsole, startConsole } from './harness.ts'
import { numbered, personWith } from './seeded.ts'

describeConsole('changes to selected devices', () => {
  const site = startConsole({ worker: true })

  const waitUntilDone = (page: Page) =>
    page
      .getByRole('status')
      .filter({ hasText: /^done, 100%/ })
      .waitFor({ state: 'attached' })

  const choose = async (page: Page, field: string, option: string): Promise<void> => {
    await page.getByRole('combobox', { name: field }).click()
    await page.getByRole('option', { name: option, exact: true }).click()
  }

  it('sets Status A on 500 selected devices after a preview, and updates another window', async () => {
    const person = await personWith(
      site,
      numbered(520, (index) => ({
        name: index < 500 ? `rack-${index}` : `other-${index}`,
        statusA: index < 40 ? 'inspected' : null,
      })),
    )
    const [page, other] = [await site.open(person), await site.open(person, { path: '/devices?name=rack' })]
    await other.getByText('500 match').waitFor()
    await page.getByLabel('Search devices').fill('rack')
    await page.getByText('500 match').waitFor()
    await page.getByLabel('Select all matching devices').check()
    await page.getByText('500 selected').waitFor()
    await page.getByRole('button', { name: 'Change', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Change 500 devices' })
    await dialog.getByRole('combobox', { name: 'Attribute' }).fill('Status A')
    await page.keyboard.press('Tab')
    await dialog.getByLabel('Value').fill('inspected')
    expect(await findViolations(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Preview' }).click()
    await page.getByText('460 would change, 40 unchanged').first().waitFor()
    await page.getByRole('button', { name: 'Change 460 devices' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Change 460 devices' }).click()
    await waitUntilDone(page)
    await other.getByRole('gridcell', { name: 'inspected' }).first().waitFor()
    const { login } = await person.data('query ($a: Object) { login { devices(size: 1, attributes: $a) { total } } }', {
      a: { '$svc.statusA': 'inspected' },
    })
    expect(login.devices.total).toBe(500)
  })

  it('moves the selected devices to another account where the user may create devices', async () => {
    const person = await personWith(site, numbered(4))
    const [other, readOnly] = [await site.newPerson(), await site.newPerson()]
    const join = (accountId: string, roleId: string) =>
      addMember(site.app, { accountId, personId: person.accountId, roleId })
    await join(other.accountId, 'operator')
    await join(readOnly.accountId, 'viewer')
    const page = await site.open(person, { path: `/accounts/${person.accountId}/devices` })
    await page.getByText('4 in total').waitFor()
    const dialog = page.getByRole('dialog', { name: 'Move devices to another account' })
    const openDialog = () => page.getByRole('button', { name: 'Move', exact: true }).click()

    await page.getByLabel('Select node-1', { exact: true }).click()
    await openDialog()
    await dialog.getByText('The devices keep their IDs').waitFor()
    await dialog.getByRole('combobox', { name: 'Account' }).click()
    expect(await page.getByRole('option').allTextContents()).toEqual([expect.stringContaining('(operator)')])
    await page.getByRole('option').click()
    expect(await findViolations(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Move 1 device' }).click()
    await page.getByText('Moved 1 device').waitFor()
    await page.getByText('3 in total').waitFor()

    await page.getByLabel('Select all matching devices').check()
    await page.getByLabel('Select node-3', { exact: true }).click()
    await openDialog()
    await dialog.getByRole('button', { name: 'Move 2 devices' }).click()
    await page.getByText('Moved 2 devices').waitFor()
    await page.getByText('1 in total').waitFor()
    const { login } = await other.data('{ login { devices(sort: "name") { items { name } } } }')
    expect(login.devices.items.map(({ name }: { name: string }) => name)).toEqual(['node-1', 'node-2', 'node-4'])

    await page.goto(`${site.app.url}/accounts/${person.accountId}/events`)
    await page.getByText('Device moved').first().waitFor()
    expect(await page.getByRole('link', { name: 'node-1' }).count()).toBe(0)
  })

  it('offers a move only if the user may create devices elsewhere, and moves at most 1,000 devices', async () => {
    const person = await personWith(site, numbered(1_001))
    const other = await site.newPerson()
    await addMember(site.app, { accountId: other.accountId, personId: person.accountId, roleId: 'viewer' })
    const page = await site.open(person, { path: `/accounts/${person.accountId}/devices` })
    const move = page.getByRole('button', { name: 'Move', exact: true })
    await page.getByText('1,001 in total').waitFor()
    await page.getByLabel('Select all matching devices').check()
    await page.getByRole('button', { name: 'Delete' }).waitFor()
    expect(await move.count()).toBe(0)

    await site.app.db
      .updateTable('membership')
      .set({ role_id: 'operator' })
      .where('account_id', '=', other.accountId)
      .where('person_id', '=', person.accountId)
      .execute()
    await page.reload()
    await page.getByLabel('Select all matching devices').check()
    await move.click()
    await page.getByRole('alert').filter({ hasText: 'at most 1,000 devices at a time' }).waitFor()
    expect(await page.getByRole('button', { name: 'Move 1,001 devices' }).isDisabled()).toBe(true)
    expect(await findViolations(page)).toEqual([])
  })

  it('sets a field of all matching devices except one', async () => {
    const person = await personWith(site, numbered(4))
    const page = await site.open(person)
    await page.getByText('4 in total').waitFor()
    await page.getByLabel('Select all matching devices').check()
    await page.getByLabel('Select node-2', { exact: true }).click()
    await page.getByText('3 selected').waitFor()
    await page.getByRole('button', { name: 'Change', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Change 3 devices' })
    await choose(page, 'Action', 'Set a field')
    await dialog.getByLabel('Value').fill('board of {name}')
    await dialog.getByRole('button', { name: 'Preview' }).click()
    await page.getByRole('button', { name: 'Change 3 devices' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Change 3 devices' }).click()
    await waitUntilDone(page)
    const { login } = await person.data('{ login { devices(sort: "name asc") { items { platform } } } }')
    const platforms = login.devices.items.map(({ platform }: { platform: string | null }) => platform)
    expect(platforms).toEqual(['board of node-1', null, 'board of node-3', 'board of node-4'])
  })

  it('explains that a change cannot exclude 101 of all matching devices', async () => {
    const page = await site.open(await personWith(site, numbered(120)))
    await page.getByLabel('Select all matching devices').check()
    await page.getByLabel('Select node-1', { exact: true }).click()
    await page.getByText('119 selected').waitFor()
    await page.getByRole('grid', { name: 'Devices' }).evaluate((element) => element.scrollTo({ top: 100 * 36 }))
    await page.getByLabel('Select node-101', { exact: true }).click({ modifiers: ['Shift'] })
    await page.getByText(': 19 selected').waitFor()
    for (const action of ['Change', 'Delete']) {
      await page.getByRole('button', { name: action, exact: true }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByText('You have deselected 101 of the matching devices').waitFor()
      await dialog.getByRole('button').click()
      await dialog.waitFor({ state: 'detached' })
    }
  })

  it('adds a service to the selected devices, sets an attribute of it, and removes it', async () => {
    const person = await personWith(site, numbered(3))
    const page = await site.open(person)
    const dialog = page.getByRole('dialog', { name: 'Change 2 devices' })
    const open = async (action: string): Promise<void> => {
      await page.goto(`${site.app.url}/devices`)
      for (const name of ['node-1', 'node-2']) await page.getByLabel(`Select ${name}`, { exact: true }).click()
      await page.getByRole('button', { name: 'Change', exact: true }).click()
      await choose(page, 'Action', action)
    }
    /**
     * Opens the preview, waits for the row that matches `change`, runs the change, and waits until the job is done.
     */
    const run = async (change: RegExp): Promise<void> => {
      await dialog.getByRole('button', { name: 'Preview' }).click()
      await page.getByRole('row', { name: change }).waitFor()
      await page.getByRole('button', { name: 'Change 2 devices' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Change 2 devices' }).click()
      await waitUntilDone(page)
    }
    const services = async (): Promise<string[]> => {
      const { login } = await person.data(
        '{ login { devices(sort: "name asc") { items { services { name port attribute(name: "owner") } } } } }',
      )
      return login.devices.items.map((item: { services: object[] }) =>
        item.services.map((service) => Object.values(service).join(' ')).join(),
      )
    }
    await open('Add a service')
    await dialog.getByLabel('Name').fill('web')
    await dialog.getByLabel('Port').fill('8443')
    expect(await findViolations(page)).toEqual([])
    await run(/node-1 will change service no value .* web \(8443\)/)
    expect(await services()).toEqual(['web 8443 ', 'web 8443 ', ''])

    await open('Set an attribute of services')
    await dialog.getByRole('combobox', { name: 'Attribute' }).fill('owner')
    await dialog.getByLabel('Value').fill('ops of {name}')
    await dialog.getByRole('button', { name: 'Preview' }).click()
    await dialog.getByText('Enter a filter for the services').waitFor()
    await dialog.getByRole('searchbox', { name: 'Services' }).fill('nam = web')
    await dialog.getByRole('button', { name: 'Preview' }).click()
    await dialog.getByText(/^Services, column 1: .* "nam"/).waitFor()
    await dialog.getByRole('searchbox', { name: 'Services' }).fill('name = web')
    expect(await findViolations(page)).toEqual([])
    await run(/node-1 will change owner of the service web no value .* ops of node-1/)
    expect(await services()).toEqual(['web 8443 ops of node-1', 'web 8443 ops of node-2', ''])

    await open('Remove services')
    await dialog.getByRole('searchbox', { name: 'Services' }).fill('port = 8443')
    await run(/node-1 will change service web \(8443\) .* no value/)
    expect(await services()).toEqual(['', '', ''])
    await page.getByText('Remove services, at most 200 devices per second').waitFor()
  })

  it('deletes the selected devices, and deletes active devices only if asked', async () => {
    const person = await personWith(
      site,
      numbered(6, (index) => ({ state: index === 0 ? 'active' : 'inactive' })),
    )
    const page = await site.open(person)
    const preview = async (): Promise<void> => {
      await page.getByLabel('Select node-1', { exact: true }).click()
      await page.getByLabel('Select node-4', { exact: true }).click({ modifiers: ['Shift'] })
      await page.getByText('4 selected').waitFor()
      await page.getByRole('button', { name: 'Delete' }).click()
    }
    const dialog = page.getByRole('dialog', { name: 'Delete devices' })
    await preview()
    await dialog.getByRole('button', { name: 'Preview' }).click()
    await page.getByText('3 would change, 1 rejected').first().waitFor()
    await page.getByRole('row', { name: /node-1 rejected .*The device is active/ }).waitFor()
    await page.goto(`${site.app.url}/devices`)
    await preview()
    await dialog.getByLabel('Also delete active devices').check()
    await dialog.getByRole('button', { name: 'Preview' }).click()
    await page.getByRole('button', { name: 'Delete 4 devices' }).click()
    await dialog.getByRole('button', { name: 'Delete 4 devices' }).click()
    await waitUntilDone(page)
    await page.goto(`${site.app.url}/devices`)
    await page.getByText('2 in total').waitFor()
  })

  it('deletes more than 20 devices only after the user types the number of devices', async () => {
    const page = await site.open(await personWith(site, numbered(21)))
    await page.getByText('21 in total').waitFor()
    await page.getByLabel('Select all matching devices').check()
    await page.getByRole('button', { name: 'Delete' }).click()
    const dialog = page.getByRole('dialog', { name: 'Delete devices' })
    await dialog.getByRole('button', { name: 'Preview' }).click()
    await page.getByRole('button', { name: 'Delete 21 devices' }).click()
    const confirm = dialog.getByRole('button', { name: 'Delete 21 devices' })
    await confirm.waitFor()
    expect(await confirm.isDisabled()).toBe(true)
    await dialog.getByLabel('To delete 21 devices, type the number of devices').fill('20')
    expect(await confirm.isDisabled()).toBe(true)
    await dialog.getByLabel('To delete 21 devices, type the number of devices').fill('21')
    await confirm.click()
    await waitUntilDone(page)
  })
})
