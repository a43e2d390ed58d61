import type { Page } from 'playwright-core'
import { afterAll, expect, it } from 'vitest'
import { claimPorts } from '../packages/server/test/harness/ports.ts'
import { CLIENT } from '../packages/server/test/single-sign-on/forging-provider.ts'
import { startIdentityProvider } from '../packages/server/test/single-sign-on/identity-provider.ts'
import { describeConsole, startConsole } from './harness.ts'

/** The test chooses the ports, because a provider must know the URL of the Muster server before that server starts. */
const ports = await claimPorts(2, afterAll)

async function startProvider(port: number | undefined) {
  const url = `http://127.0.0.1:${port}`
  const provider = await startIdentityProvider(url)
  afterAll(() => provider.close())
  const env = {
    PORT: String(port),
    MUSTER_PUBLIC_URL: url,
    MUSTER_OIDC_ISSUER: provider.issuer,
    MUSTER_OIDC_CLIENT_ID: CLIENT.id,
    MUSTER_OIDC_CLIENT_SECRET: CLIENT.secret,
    MUSTER_OIDC_NAME: 'Example',
    MUSTER_OIDC_ALLOW: '127.0.0.1',
  }
  return { url, provider, env }
}

const button = (page: Page) => page.getByRole('link', { name: 'Sign in with Example' })

async function signInAtProvider(page: Page, login: string): Promise<void> {
  await page.locator('input[name=login]').fill(login)
  await page.locator('input[name=password]').fill('any password')
  await page.locator('button[type=submit]').click()
  await page.getByRole('button', { name: 'Continue' }).click()
}

const { url, provider, env } = await startProvider(ports[0])

describeConsole('single sign-on', () => {
  const site = startConsole({ env })

  it('joins an account by group, opens the requested page, and signs out of the console and the provider', async () => {
    const owner = await site.newPerson()
    await owner.data('mutation { updateRole(id: "operator", groups: ["staff"]) { id } }')
    provider.people.set('grace', { email: 'grace@example.com', groups: ['staff'] })
    const page = await site.openSignedOut({ path: '/devices' })
    await button(page).click()
    await signInAtProvider(page, 'grace')
    await page.getByRole('heading', { name: 'No devices yet' }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/devices')

    // The user joined through the provider and has no password, so the page must not offer to change one.
    await page.goto(`${url}/account/security`)
    await page.getByText('Your identity at Example is linked').waitFor()
    expect(await page.getByRole('button', { name: 'Link Example' }).count()).toBe(0)
    expect(await page.getByRole('heading', { name: 'Password', exact: true }).count()).toBe(0)
    await page.goto(`${url}/devices`)

    await page.getByRole('button', { name: owner.email }).click()
    await page.getByText('Signed in as grace@example.com').waitFor()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByRole('button', { name: 'Yes, sign me out' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    expect(new URL(page.url()).origin).toBe(url)
    await button(page).click()
    await page.locator('input[name=login]').waitFor()
  })

  it('lets a new user accept an invitation', async () => {
    const owner = await site.newPerson()
    const { createInvitation } = await owner.data('mutation { createInvitation(roleId: "viewer") { link } }')
    provider.people.set('lin', { email: 'lin@example.com' })
    const page = await site.openSignedOut({ path: '/healthz' })
    await page.route('**/sign-in-options', (route) => route.abort(), { times: 1 })
    await page.goto(createInvitation.link)
    const alert = page.getByRole('alert').filter({ hasText: 'The sign-in options could not be loaded' })
    await alert.waitFor()
    expect(await page.getByRole('textbox', { name: 'Name' }).count()).toBe(0)
    await alert.getByRole('button', { name: 'Try again' }).click()
    await button(page).click()
    await signInAtProvider(page, 'lin')
    await page.getByRole('button', { name: owner.email }).waitFor()
    const { login } = await owner.data('{ login { members { person { email } role { name } } } }')
    expect(login.members).toContainEqual({ person: { email: 'lin@example.com' }, role: { name: 'viewer' } })
  })

  it('explains why a user cannot sign in', async () => {
    provider.people.set('mallory', { email: 'mallory@example.com', email_verified: true })
    const page = await site.openSignedOut({ path: '/devices' })
    await button(page).click()
    await signInAtProvider(page, 'mallory')
    await page.getByRole('alert').getByText('You are not invited yet').waitFor()
    expect(new URL(page.url()).pathname).toBe('/sign-in')

    const owner = await site.newPerson()
    await owner.data('mutation { createInvitation(roleId: "viewer", email: "Mallory@example.com") { id } }')
    await button(page).click()
    await page.getByRole('alert').getByText('Open your invitation first').waitFor()
  })

  it('asks members to sign in again when the account requires single sign-on', async () => {
    const owner = await site.newPerson()
    await owner.data('mutation { updateRole(id: "admin", groups: ["admins"]) { id } }')
    provider.people.set('judy', { email: 'judy@example.com', groups: ['admins'] })
    const open = await site.open(owner, { path: '/account/sign-in-policy' })
    const choice = open.getByRole('radio', { name: 'by single sign-on' })
    await choice.check()
    await open.getByRole('button', { name: 'Save' }).click()
    await open.getByRole('alert').getByText('The sign-in policy was not changed').waitFor()

    const page = await site.openSignedOut({ path: '/account/sign-in-policy' })
    await button(page).click()
    await signInAtProvider(page, 'judy')
    await page.getByRole('radio', { name: 'by single sign-on' }).check()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('The sign-in policy was changed').waitFor()
    // The window that is already open must notice the new policy without a reload.
    await open.getByRole('heading', { name: 'This account requires single sign-on' }).waitFor()
    await open.getByText(`You are signed in as ${owner.email}`).waitFor()
    await button(open).click()
    await signInAtProvider(open, 'judy')
    await open.waitForURL('**/account/sign-in-policy')
    await expect.poll(() => choice.isChecked()).toBe(true)
  })

  it('offers to load the identity provider again after a failure', async () => {
    const owner = await site.newPerson()
    const page = await site.open(owner, { path: '/account' })
    const options = '**/auth/sign-in-options'
    await page.route(options, (route) => route.abort())
    await page.goto(`${url}/account/sign-in-policy`)
    const notice = page.getByRole('alert').filter({ hasText: 'could not be loaded' })
    await notice.waitFor()
    expect(await page.getByText('This server has no identity provider').count()).toBe(0)
    await page.unroute(options)
    await notice.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('With Example.').waitFor()

    await page.route(options, (route) => route.abort())
    await site.app.db.updateTable('account').set({ sign_in_policy: 'SSO' }).where('id', '=', owner.accountId).execute()
    await page.goto(`${url}/devices`)
    await page.getByRole('heading', { name: 'This account requires single sign-on' }).waitFor()
    await notice.waitFor()
    await page.unroute(options)
    await notice.getByRole('button', { name: 'Try again' }).click()
    await button(page).waitFor()
  })

  it('ends sessions when the provider ends its session', async () => {
    const owner = await site.newPerson()
    await owner.data('mutation { updateRole(id: "viewer", groups: ["ops"]) { id } }')
    provider.people.set('heidi', { email: 'heidi@example.com', groups: ['ops'] })
    const page = await site.openSignedOut({ path: '/devices' })
    await button(page).click()
    await signInAtProvider(page, 'heidi')
    await page.getByRole('button', { name: owner.email }).waitFor()
    const atProvider = await page.context().newPage()
    await atProvider.goto(`${provider.issuer}/session/end`)
    await atProvider.getByRole('button', { name: 'Yes, sign me out' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  })
})

const only = await startProvider(ports[1])

describeConsole('a server that accepts only single sign-on', () => {
  const site = startConsole({ env: { ...only.env, MUSTER_SIGN_IN: 'sso', MUSTER_OIDC_SIGN_UP: 'anyone' } })

  it('asks for single sign-on again before it creates a key more than an hour after sign-in', async () => {
    only.provider.people.set('frank', { email: 'frank@example.com' })
    const page = await site.openSignedOut({ path: '/account/keys' })
    await button(page).click()
    await signInAtProvider(page, 'frank')
    const dialog = page.getByRole('dialog')
    const createKey = async (): Promise<void> => {
      await page.getByRole('button', { name: 'New access key' }).first().click()
      await dialog.getByLabel('Name').fill('Nightly export')
      for (const step of [2, 3]) {
        await dialog.getByRole('button', { name: 'Next' }).click()
        await dialog.getByText(`Step ${step} of 3`).waitFor()
      }
      await dialog.getByRole('button', { name: 'Create key' }).click()
    }
    await page.getByRole('button', { name: 'New access key' }).first().waitFor()
    await site.app.db
      .updateTable('session')
      .set({ created: new Date(Date.now() - 7_200_000) })
      .execute()
    await createKey()
    await dialog.getByText('Sign in again, and then repeat your action.').waitFor()
    expect(await dialog.locator('input').count()).toBe(0)
    await button(page).click()
    await dialog.waitFor({ state: 'detached' })
    await createKey()
    await dialog.getByRole('button', { name: 'Download credentials' }).waitFor()
  })
})
