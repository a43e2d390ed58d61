import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { describeConsole, signIn, signOut, startConsole } from './harness.ts'

/** Adds a virtual authenticator that always verifies the user. Returns a function that counts its passkeys. */
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
})
