import { expect, it } from 'vitest'
import { describeConsole, signIn, startConsole } from './harness.ts'

describeConsole('signing in', () => {
  const site = startConsole({ worker: true })

  it('asks who it is, refuses a wrong password, and leads on to the page that was asked for', async () => {
    const person = await site.newPerson()
    const page = await site.openSignedOut({ path: '/events' })
    await signIn(page, { ...person, password: `${person.password}x` })
    await page.getByRole('alert').getByText('Wrong e-mail or password').waitFor()
    await signIn(page, person)
    await page.getByRole('heading', { name: 'Events', level: 1 }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/events')
    await page.getByRole('row', { name: /Sign-in/ }).waitFor()
  })

  it('signs out: the page is out of reach, also by going back', async () => {
    const person = await site.newPerson()
    const page = await site.open(person, { path: '/devices' })
    await page.getByRole('heading', { name: 'No devices yet' }).waitFor()
    await page.getByRole('button', { name: person.email }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await page.goBack()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    expect(await page.getByText(person.email).count()).toBe(0)
  })

  it('signs out everywhere, and every other window is out', async () => {
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
})
