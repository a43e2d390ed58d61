import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { addMember } from '../packages/server/test/factories/member.ts'
import { findViolationsInBothSchemes } from './axe.ts'
import { describeConsole, type Person, startConsole } from './harness.ts'
import { personWith } from './seeded.ts'

describeConsole('members', () => {
  const site = startConsole()

  async function invite(page: Page, email: string, role: string): Promise<string> {
    await page.getByRole('button', { name: 'Invite' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Email').fill(email)
    await dialog.getByRole('combobox', { name: 'Role' }).click()
    await page.getByRole('option', { name: role, exact: true }).click()
    await dialog.getByRole('button', { name: 'Create link' }).click()
    const link = await dialog.getByLabel('invitation link', { exact: true }).textContent()
    await dialog.getByRole('button', { name: 'Done' }).click()
    return link!.replace(/^https?:\/\/[^/]+/, '')
  }

  it('adds a member by link, changes the role, and removes the member', async () => {
    const owner = await site.newPerson()
    const page = await site.open(owner, { path: '/account/members' })
    const email = `lin-${owner.accountId}@example.com`
    const path = await invite(page, email, 'viewer')
    await page.getByRole('table', { name: 'Invitations' }).getByText(email).waitFor()
    const viewers = page.getByRole('table', { name: 'Roles' }).getByRole('row', { name: /^viewer/ })
    await viewers.getByRole('cell', { name: /^0\s*1 invitation$/ }).waitFor()

    const guest = await site.openSignedOut({ path, viewport: { width: 390, height: 800 } })
    await guest.getByText(`Join ${owner.email} as viewer`).waitFor()
    expect(guest.url()).not.toContain('#')
    await guest.getByLabel('Name', { exact: true }).fill('Lin')
    await guest.getByLabel('Password', { exact: true }).fill('correct horse battery staple')
    await guest.getByRole('button', { name: 'Join' }).click()
    await guest.waitForURL('**/overview')
    await guest.goto(`${site.app.url}/account/members`)
    await guest.getByText('You cannot see the members of this account').waitFor()

    await page.reload()
    const select = page.getByRole('combobox', { name: `Role of ${email}` })
    await select.click()
    await page.getByRole('option', { name: 'admin', exact: true }).click()
    await expect.poll(() => select.inputValue()).toBe('admin')
    await guest.reload()
    await guest.getByRole('combobox', { name: `Role of ${email}` }).waitFor()
    // The select is missing, because only owners can change the roles of owners.
    expect(await guest.getByRole('combobox', { name: `Role of ${owner.email}` }).count()).toBe(0)

    await page.getByRole('button', { name: `Remove ${email}` }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove member' }).click()
    await page.getByRole('button', { name: `Remove ${email}` }).waitFor({ state: 'detached' })
    await guest.reload()
    await guest.getByText('You are not a member of any account').waitFor()
  })

  it('lets an owner name the account', async () => {
    const owner = await site.newPerson()
    await owner.data('mutation { updateAccount(email: "owner@localhost") { id } }')
    const page = await site.open(owner, { path: '/account/members' })
    await page.getByRole('button', { name: 'Unnamed account' }).waitFor()
    await page.getByRole('button', { name: 'Name this account' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('North fleet')
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'North fleet' }).waitFor()
    expect((await owner.data('{ login { name } }')).login).toEqual({ name: 'North fleet' })
  })

  it('opens the account in the URL', async () => {
    const [owner, person] = [await site.newPerson(), await site.newPerson()]
    const page = await site.open(owner, { path: '/account/members' })
    const path = await invite(page, person.email, 'operator')

    const tab = await site.open(person, { path: '/account/members' })
    const own = tab.getByRole('combobox', { name: `Role of ${person.email}` })
    await own.waitFor()
    await tab.goto(`${site.app.url}${path}`)
    await tab.getByRole('button', { name: 'Join' }).click()
    await tab.waitForURL(`**/accounts/${owner.accountId}/overview`)
    await tab.getByRole('button', { name: owner.email }).click()
    await tab.getByText(`Signed in as ${person.email}`).waitFor()
    await tab.getByRole('menuitem', { name: person.email }).click()
    await tab.waitForURL(`**/accounts/${person.accountId}/overview`)

    await tab.getByRole('link', { name: 'Account' }).click()
    await tab.getByRole('link', { name: 'Members' }).click()
    await own.waitFor()
    expect(new URL(tab.url()).pathname).toBe(`/accounts/${person.accountId}/account/members`)
    // If the URL contains no account, the console must add the account that it opens to the URL.
    await tab.goto(`${site.app.url}/devices`)
    await tab.waitForURL(/\/accounts\/[^/]+\/devices/)
  })

  it('creates, changes, and deletes a role with chosen permissions and devices', async () => {
    const owner = await site.newPerson()
    await owner.data('mutation { createView(name: "Gates", where: "name:gate") { id } }')
    const page = await site.open(owner, { path: '/account/members' })
    await page.getByRole('button', { name: 'New role' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Technicians')
    await dialog.getByRole('checkbox', { name: 'change attributes' }).check()
    await dialog.getByRole('checkbox', { name: 'manage webhooks' }).check()
    await dialog.getByText('with any of these permissions cannot be restricted').waitFor()
    await dialog.getByRole('checkbox', { name: 'manage webhooks' }).uncheck()
    const filter = dialog.getByRole('searchbox', { name: 'Devices' })
    await filter.fill('platform = ')
    await dialog.getByRole('button', { name: 'Create role' }).click()
    await dialog
      .getByRole('alert')
      .getByText(/^Devices, column/)
      .waitFor()
    await filter.fill('platform = linux')
    await dialog.getByRole('button', { name: 'Create role' }).click()
    const row = page.getByRole('row', { name: /Technicians/ })
    await row.getByText('see device events; change attributes').waitFor()
    await row.getByText('platform = linux').waitFor()

    await row.getByRole('button', { name: 'Change Technicians' }).click()
    await filter.fill('')
    await dialog.getByRole('combobox', { name: 'View' }).click()
    await page.getByRole('option', { name: 'Gates' }).click()
    await dialog.getByRole('checkbox', { name: 'Only some attributes' }).check()
    await dialog.getByLabel('Attributes to set').fill('status.*')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await row.getByText('in the view Gates').waitFor()
    await row.getByText('status.*').first().waitFor()
    await row.getByRole('button', { name: 'Delete Technicians' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete role' }).click()
    await row.waitFor({ state: 'detached' })
  })

  it('shows what a key and a role may do, and checks a device, an attribute, and a document', async () => {
    const owner = await personWith(site, [
      { name: 'oslo-1', attributes: { site: 'oslo' } },
      { name: 'bergen-1', attributes: { site: 'bergen' } },
    ])
    const access = 'access: { permissions: [DEVICE_READ, ATTRIBUTE_WRITE], where: "site = oslo" }'
    const { createAccessKey } = await owner.data(
      `mutation { createAccessKey(name: "Export", networks: ["192.0.2.0/24"], ${access}) { key } }`,
    )
    const page = await site.open(owner, { path: `/account/keys/${createAccessKey.key}` })
    await page.getByRole('button', { name: 'What may this key do?' }).click()
    const dialog = page.getByRole('dialog', { name: 'What may Export do?' })
    const itemsOf = (part: string) => dialog.getByRole('region', { name: part, exact: true }).getByRole('listitem')
    await dialog.getByText('Can read 1 device.').waitFor()
    expect(await itemsOf('May').allTextContents()).toEqual([
      'see devices, services, attributes, views, and bulk jobs',
      'change attributes',
    ])
    await dialog.getByText('because the key does not have the permission or is not valid').waitFor()
    await dialog.getByText('the filter reads site').waitFor()
    await dialog.getByRole('combobox', { name: 'Device' }).fill('bergen')
    await page.getByRole('option', { name: 'bergen-1' }).click()
    await dialog.getByRole('combobox', { name: 'Attribute' }).fill('rack')
    await dialog.getByLabel('GraphQL document').fill('mutation { deleteDevice(deviceId: "x") }')
    await dialog.getByLabel('Address').fill('198.51.100.7')
    await dialog.getByRole('button', { name: 'Check' }).click()
    const result = dialog.getByRole('status')
    for (const text of [
      'Run the document: no',
      'Read the device: no',
      'Set the attribute rack: no',
      'permissions that are missing: delete devices',
      'Key cannot be used from 198.51.100.7',
    ])
      await result.getByText(text).waitFor()
    expect(await findViolationsInBothSchemes(page)).toEqual([])
    await dialog.getByLabel('Address').fill('192.0.2.7')
    await dialog.getByLabel('GraphQL document').fill('{ login { devices { total } } }')
    await dialog.getByRole('combobox', { name: 'Device' }).fill('oslo')
    await page.getByRole('option', { name: 'oslo-1' }).click()
    await dialog.getByRole('button', { name: 'Check' }).click()
    for (const text of ['Run the document: yes', 'Read the device: yes', 'Set the attribute rack: yes'])
      await result.getByText(text).waitFor()
    await dialog.getByLabel('GraphQL document').fill('{ login {')
    await dialog.getByRole('button', { name: 'Check' }).click()
    await dialog.getByText(/Syntax Error/).waitFor()

    await page.goto(`${site.app.url}/account/members`)
    await page.getByRole('button', { name: 'Simulate viewer' }).click()
    await page.getByRole('dialog', { name: 'What may members with the role viewer do?' }).waitFor()
    await page.getByText('because the role does not allow it').waitFor()
    await page.getByText('Can read 2 devices.').waitFor()
  })

  /** The returned function opens pages as a member with the role. It fails if a page lacks `text` or shows an error. */
  async function openAs(owner: Person, roleId: string): Promise<(path: string, text: string) => Promise<Page>> {
    const person = await site.newPerson()
    await addMember(site.app, { accountId: owner.accountId, personId: person.accountId, roleId })
    const start = `/accounts/${owner.accountId}`
    const page = await site.open(person, { path: `${start}/devices` })
    return async (path, text) => {
      await page.goto(`${site.app.url}${start}${path}`)
      await page.getByRole('main').getByText(text).first().waitFor()
      await site.waitForResponses(page)
      expect(await page.getByRole('main').getByRole('alert').allTextContents()).toEqual([])
      return page
    }
  }

  const countButtons = (page: Page, names: RegExp): Promise<number> =>
    page.getByRole('main').getByRole('button', { name: names }).count()

  it('shows viewers no buttons for changes that they cannot make, and explains why', async () => {
    const owner = await personWith(site, [{ name: 'gate', platform: 'linux', attributes: { site: 'oslo' } }])
    const { login } = await owner.data('{ login { devices { items { id } } } }')
    const device = `/devices/${login.devices.items[0].id}`
    const visit = await openAs(owner, 'viewer')
    const changes =
      /^(Add (a device|an attribute|a service)|Edit|Rotate|More|Remove|Change|Delete|Save|Set|New (?!access))/
    for (const [path, text] of [
      ['/overview', 'Newest events'],
      ['/devices', 'gate'],
      [device, 'oslo'],
      [`${device}?tab=services`, 'No services yet'],
      [`${device}?tab=events`, 'All'],
      ['/services', 'No services yet'],
      ['/events', 'in the last month'],
      ['/changes', 'No bulk jobs yet'],
      ['/webhooks', 'WEBHOOK_MANAGE'],
      ['/account/members', 'You cannot see the members'],
      ['/account/sign-in-policy', 'You cannot see how members must sign in'],
      ['/account/codes', 'DEVICE_CREATE'],
      ['/account/labels', 'Only you see these labels'],
      ['/account/attributes', 'site'],
    ] as const) {
      const page = await visit(path, text)
      expect([path, await countButtons(page, changes)]).toEqual([path, 0])
    }
    const page = await visit('/account/keys', 'You see only your personal keys')
    await page.getByRole('button', { name: 'New access key' }).first().click()
    await page.getByText('Your role does not allow this: report states').waitFor()
  })

  it('saves the labels and columns that viewers choose for themselves', async () => {
    const owner = await personWith(site, [{ name: 'gate', platform: 'linux', attributes: { site: 'oslo' } }])
    const visit = await openAs(owner, 'viewer')
    const labels = await visit('/account/labels', 'Only you see these labels')
    await labels.getByRole('textbox', { name: 'Status A' }).fill('Health')
    const save = labels.getByRole('button', { name: 'Save' })
    await save.click()
    await save.waitFor({ state: 'detached' })
    // Wait for the response, because the page shows a setting before the server has stored it.
    await site.waitForResponses(labels)

    const list = await visit('/devices?columns=["name","statusA","platform"]', 'gate')
    await list.getByRole('button', { name: 'Columns' }).click()
    await list.getByRole('button', { name: 'Save as my columns' }).click()
    await expect.poll(() => new URL(list.url()).search).toBe('')
    await visit('/devices', 'gate')
    const headers = await list.getByRole('columnheader').allTextContents()
    expect(headers.slice(1)).toEqual(['Name', 'Health', 'Platform'])
  })

  it('shows members with a restricted role only their devices, and explains which features they cannot use', async () => {
    const owner = await personWith(site, [
      { name: 'oslo-1', attributes: { site: 'oslo' } },
      { name: 'bergen-1', attributes: { site: 'bergen' } },
    ])
    const permissions = '[DEVICE_READ, EVENT_READ, DEVICE_CREATE, ATTRIBUTE_WRITE, KEY_OWN]'
    const { createRole } = await owner.data(
      `mutation { createRole(name: "Oslo", access: { permissions: ${permissions}, where: "site = oslo" }) { id } }`,
    )
    const visit = await openAs(owner, createRole.id)
    const list = await visit('/devices', 'oslo-1')
    expect(await list.getByText('bergen-1').count()).toBe(0)
    await visit('/overview', 'Newest events')
    await visit('/events', 'in the last month')
    await visit('/changes', 'No bulk jobs yet')
    await visit('/account/codes', 'cannot see or create registration codes')
    await visit('/account/labels', 'Only you see these labels')
    const page = await visit('/account/keys', 'You see only your personal keys')
    await page.getByRole('button', { name: 'New access key' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('Mine')
    await dialog.getByRole('button', { name: 'Next' }).click()
    await dialog.getByText('The same limits apply to this key').waitFor()
    await dialog.getByRole('button', { name: 'Next' }).click()
    await dialog.getByText('Only members with the permission KEY_MANAGE').waitFor()
    await dialog.getByRole('button', { name: 'Create key' }).click()
    await dialog.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('link', { name: 'Mine' }).click()
    await page.getByText('base(attributes.site) = oslo').waitFor()
  })
})
