import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { findViolations } from './axe.ts'
import { describeConsole, signIn, signOut, startConsole } from './harness.ts'

/** Adds a virtual authenticator that always verifies the user. Returns a function that counts the stored passkeys. */
async function addAuthenticator(page: Page): Promise<() => Promise<number>> {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('WebAuthn.enable')
  const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return async () => (await devtools.send('WebAuthn.getCredentials', { authenticatorId })).credentials.length
}

describeConsole('passkeys', () => {
  const site = startConsole()

  it('requires a host name in the URL, and signs a user in without a password until the passkey is removed', async () => {
    const person = await site.newPerson()
    const page = await site.openSignedOut()
    const withPasskey = page.getByRole('button', { name: 'Sign in with a passkey' })
    await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor()
    expect(await withPasskey.count()).toBe(0)

    const url = new URL('/account/security', site.app.url)
    url.hostname = 'localhost'
    const countPasskeys = await addAuthenticator(page)
    await page.goto(url.href)
    await signIn(page, person)
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Laptop')
    await dialog.getByRole('button', { name: 'Continue' }).click()
    const row = page.getByRole('table', { name: 'Passkeys' }).getByRole('row', { name: /Laptop/ })
    await row.waitFor()
    expect(await countPasskeys()).toBe(1)

    await signOut(page, person)
    await withPasskey.click()
    await page.getByRole('heading', { name: 'No devices yet' }).waitFor()

    await page.getByRole('link', { name: 'Account' }).click()
    await page.getByRole('link', { name: 'Profile and security' }).click()
    await row.getByRole('button', { name: 'Remove' }).click()
    await dialog.getByRole('button', { name: 'Remove passkey' }).click()
    await row.waitFor({ state: 'detached' })
    await signOut(page, person)
    await withPasskey.click()
    await page.getByRole('alert').waitFor()
    expect(await countPasskeys()).toBe(1)
  })

  it('lets a new user accept an invitation without a password', async () => {
    const owner = await site.newPerson()
    const email = `passkey-${owner.email}`
    const create = 'mutation ($email: String) { createInvitation(roleId: "viewer", email: $email) { link } }'
    const { createInvitation } = await owner.data(create, { email })
    const page = await site.openSignedOut()
    const countPasskeys = await addAuthenticator(page)
    const url = new URL(createInvitation.link)
    url.hostname = 'localhost'
    await page.goto(url.href)
    await page.getByRole('textbox', { name: 'Name' }).fill('Lin')
    expect(await findViolations(page)).toEqual([])
    await page.getByRole('button', { name: 'Join with a passkey' }).click()
    await page.getByRole('heading', { name: 'No devices yet' }).waitFor()
    expect(await countPasskeys()).toBe(1)
    await page.getByRole('button', { name: owner.email }).click()
    await page.getByText(`Signed in as ${email}`).waitFor()

    // The user joined with a passkey and has no password, so the page must not offer to change one.
    await page.goto(`${url.origin}/account/security`)
    await page.getByRole('table', { name: 'Passkeys' }).waitFor()
    expect(await page.getByRole('heading', { name: 'Password', exact: true }).count()).toBe(0)
    const earlier = new Date(Date.now() - 2 * 3_600_000)
    await site.app.db.updateTable('session').set({ created: earlier }).where('method', '=', 'passkey').execute()
    await page.goto(`${url.origin}/account/keys`)
    await page.getByRole('button', { name: 'New access key' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('Export')
    await dialog.getByRole('button', { name: 'Next' }).click()
    await dialog.getByText('Step 2 of 3').waitFor()
    await dialog.getByRole('button', { name: 'Next' }).click()
    await dialog.getByRole('button', { name: 'Create key' }).click()
    const confirm = dialog.getByRole('button', { name: 'Use a passkey' })
    await confirm.waitFor()
    expect(await dialog.getByLabel('Your password').count()).toBe(0)
    await confirm.click()
    await dialog.getByRole('button', { name: 'Download credentials' }).waitFor()
  })
})
