import { expect, it } from 'vitest'
import { createPasswordLink } from '../packages/server/src/auth/sessions/passwords/password-reset-link.ts'
import { codeOf, nextCodeOf, wrongCodeOf } from '../packages/server/test/clients/totp.ts'
import { findViolations } from './axe.ts'
import { describeConsole, signIn, signOut, startConsole } from './harness.ts'

describeConsole('sign-in', () => {
  const site = startConsole({ worker: true })

  it('asks for credentials, rejects a wrong password, and opens the requested page', async () => {
    const person = await site.newPerson()
    const page = await site.openSignedOut({ path: '/events' })
    await signIn(page, { ...person, password: `${person.password}x` })
    await page.getByRole('alert').getByText('Wrong email or password').waitFor()
    await signIn(page, person)
    await page.getByRole('heading', { name: 'Events', level: 1 }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/events')
    await page.getByRole('row', { name: /Sign-in/ }).waitFor()
  })

  it('signs out, and does not show the page again after the Back button', async () => {
    const person = await site.newPerson()
    const page = await site.open(person, { path: '/devices' })
    await page.getByRole('heading', { name: 'No devices yet' }).waitFor()
    await signOut(page, person)
    await page.goBack()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    expect(await page.getByText(person.email).count()).toBe(0)
  })

  it('asks for an authenticator code or a backup code if two-factor authentication is on', async () => {
    const person = await site.newPerson()
    const page = await site.open(person, { path: '/account/security' })
    await page.getByRole('button', { name: 'Turn on' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Your password').fill(person.password)
    await dialog.getByRole('button', { name: 'Continue' }).click()
    await dialog.getByRole('img', { name: 'Code for the authenticator app' }).waitFor()
    const app = `otpauth://totp/Muster?secret=${await dialog.getByRole('code').textContent()}`
    await dialog.getByRole('textbox', { name: 'Code' }).fill(codeOf(app))
    await dialog.getByRole('button', { name: 'Turn on' }).click()
    const codes = dialog.getByLabel('list of backup codes', { exact: true })
    await codes.waitFor()
    await page.keyboard.press('Escape')
    await dialog.getByRole('button', { name: 'I have saved the codes' }).click()
    await page.getByRole('button', { name: 'Turn off' }).waitFor()
    await dialog.waitFor({ state: 'detached' })

    await page.getByRole('button', { name: 'New backup codes' }).click()
    await dialog.getByLabel('Your password').fill(person.password)
    await dialog.getByRole('button', { name: 'Create new codes' }).click()
    const [backupCode = ''] = (await codes.innerText()).split('\n')
    await page.keyboard.press('Escape')
    await page.mouse.click(5, 5)
    await dialog.getByRole('button', { name: 'I have saved the codes' }).click()
    await dialog.waitFor({ state: 'detached' })

    const submit = page.getByRole('button', { name: 'Sign in', exact: true })
    await signOut(page, person)
    await signIn(page, person)
    const code = page.getByRole('textbox', { name: 'Code', exact: true })
    await code.fill(wrongCodeOf(app))
    await submit.click()
    await page.getByRole('alert').getByText('Wrong code').waitFor()
    await code.fill(nextCodeOf(app))
    await submit.click()
    await page.getByRole('heading', { name: 'No devices yet' }).waitFor()

    await signOut(page, person)
    await signIn(page, person)
    await page.getByRole('button', { name: 'Use a backup code' }).click()
    await page.getByRole('textbox', { name: 'Backup code' }).fill(backupCode)
    await submit.click()
    await page.getByRole('heading', { name: 'No devices yet' }).waitFor()
  })

  it('signs out everywhere, including in another window that reloads', async () => {
    const person = await site.newPerson()
    const [other, page] = [await site.open(person), await site.open(person, { path: '/account/sessions' })]
    await other.getByRole('heading', { name: 'No devices yet' }).waitFor()
    await page.getByText('this browser').waitFor()
    expect(await page.getByRole('table', { name: 'Sessions' }).getByRole('row').count()).toBe(1 + 2)
    await page.getByRole('button', { name: 'Sign out everywhere' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await other.reload()
    await other.getByRole('heading', { name: 'Sign in' }).waitFor()
  })

  it('sets a new password with a link from the operator', async () => {
    const person = await site.newPerson()
    const { token } = await createPasswordLink(site.app.db, person.accountId, new Date())
    const page = await site.openSignedOut({ path: `/new-password#${token}` })
    const password = 'correct horse battery staple'
    await page.getByLabel('New password', { exact: true }).fill('short')
    await page.getByRole('button', { name: 'Set password' }).click()
    await page.getByRole('alert').getByText('The password was not changed').waitFor()
    expect(await findViolations(page)).toEqual([])
    await page.getByLabel('New password', { exact: true }).fill(password)
    await page.getByRole('button', { name: 'Set password' }).click()
    await page.getByText('Your password was changed').waitFor()
    expect(new URL(page.url()).hash).toBe('')
    await page.getByRole('link', { name: 'Sign in' }).click()
    await signIn(page, { ...person, password })
    await page.getByRole('heading', { name: 'No devices yet' }).waitFor()
  })
})
