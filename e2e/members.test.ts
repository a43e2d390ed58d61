import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { describeConsole, startConsole } from './harness.ts'

describeConsole('members', () => {
  const site = startConsole()

  /** Creates an invitation on the members page and returns its link. */
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

  it('lets a person join with a link, get another role, and be removed', async () => {
    const owner = await site.newPerson()
    const page = await site.open(owner, { path: '/account/members' })
    const email = `lin-${owner.accountId}@example.com`
    const path = await invite(page, email, 'viewer')
    await page.getByRole('table', { name: 'Invitations' }).getByText(email).waitFor()

    const guest = await site.openSignedOut({ path, viewport: { width: 390, height: 800 } })
    await guest.getByText(`Join ${owner.email} as viewer`).waitFor()
    expect(guest.url()).not.toContain('#')
    await guest.getByLabel('Name', { exact: true }).fill('Lin')
    await guest.getByLabel('Password', { exact: true }).fill('correct horse battery staple')
    await guest.getByRole('button', { name: 'Join' }).click()
    await guest.waitForURL('**/overview')
    await guest.goto(`${site.app.url}/account/members`)
    await guest.getByText('Your role does not allow you to see the members').waitFor()

    await page.reload()
    const select = page.getByRole('combobox', { name: `Role of ${email}` })
    await select.click()
    await page.getByRole('option', { name: 'admin', exact: true }).click()
    await expect.poll(() => select.inputValue()).toBe('admin')
    await guest.reload()
    await guest.getByRole('combobox', { name: `Role of ${email}` }).waitFor()
    // The select is missing, because only owners can change owners.
    expect(await guest.getByRole('combobox', { name: `Role of ${owner.email}` }).count()).toBe(0)

    await page.getByRole('button', { name: `Remove ${email}` }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove member' }).click()
    await page.getByRole('button', { name: `Remove ${email}` }).waitFor({ state: 'detached' })
    await guest.reload()
    await guest.getByText('You are not a member of any account').waitFor()
  })

  it('works in the account that the address names', async () => {
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
    // Without an account in the address, the console must open the account that the person used last.
    await tab.goto(`${site.app.url}/devices`)
    await tab.waitForURL(/\/accounts\/[^/]+\/devices/)
  })

  it('creates and deletes a role with chosen permissions', async () => {
    const page = await site.open(await site.newPerson(), { path: '/account/members' })
    await page.getByRole('button', { name: 'New role' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Technicians')
    await dialog.getByRole('checkbox', { name: 'change attributes' }).check()
    await dialog.getByRole('button', { name: 'Create role' }).click()
    const row = page.getByRole('row', { name: /Technicians/ })
    await row.getByText('see events of devices; change attributes').waitFor()
    await row.getByRole('button', { name: 'Delete Technicians' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete role' }).click()
    await row.waitFor({ state: 'detached' })
  })
})
