import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { errorOf, newPerson, openBrowser, signInMethods } from '../../../../test/clients/browser.ts'
import { startTestApp, type TestApp } from '../../../../test/harness/app.ts'
import { startForgingProvider } from '../../../../test/single-sign-on/forging-provider.ts'
import { ssoSettings } from '../../../../test/single-sign-on/sign-on.ts'
import { disableUser, linkUser } from '../../../features/users/user-administration.ts'

let app: TestApp
let closeProvider: () => Promise<void>
let now = Date.now()
beforeAll(async () => {
  const provider = await startForgingProvider()
  closeProvider = provider.close
  const env = { ...ssoSettings(provider.issuer), MUSTER_SIGN_IN: 'sso' }
  app = await startTestApp({ env, clock: () => new Date(now) })
})
beforeEach(() => {
  now += 61_000
})
afterAll(async () => {
  await app.close()
  await closeProvider()
})

const link = (email: string) => linkUser(app.db, email, new Date(now))

it('signs a person in once, even if the server accepts only single sign-on', async () => {
  const person = await newPerson(app)
  const { token, email } = await link(person.email.toUpperCase())
  expect(email).toBe(person.email)
  const browser = openBrowser(app)
  const byPassword = await browser.auth('/sign-in/email', { email: person.email, password: person.password })
  expect(errorOf(byPassword)).toEqual([401, 'UNAUTHENTICATED', 'sso-only'])
  expect(await browser.auth('/sign-in/link', { token })).toMatchObject({ status: 200, body: { signedIn: true } })
  expect((await browser.auth('/get-session')).body.user.id).toBe(person.id)
  expect(await signInMethods(browser)).toEqual(['sign-in link'])
  const again = await openBrowser(app).auth('/sign-in/link', { token })
  expect(errorOf(again)).toEqual([401, 'UNAUTHENTICATED', 'sign-in-link'])
  now += 12 * 3_600_000
  expect((await browser.auth('/get-session')).body.user).toBeNull()
})

it('stores only a hash of the token', async () => {
  const { token } = await link((await newPerson(app)).email)
  const stored = await app.db.selectFrom('sign_in_step').selectAll().execute()
  expect(JSON.stringify(stored)).not.toContain(token)
})

it('does not work after ten minutes or for disabled people', async () => {
  const person = await newPerson(app)
  const { token } = await link(person.email)
  now += 600_000
  expect((await openBrowser(app).auth('/sign-in/link', { token })).status).toBe(401)
  const another = await link(person.email)
  await disableUser(app.db, person.email, new Date(now))
  expect((await openBrowser(app).auth('/sign-in/link', { token: another.token })).status).toBe(401)
  await expect(link(person.email)).rejects.toThrow('disabled')
  await expect(link(`${randomUUID()}@example.com`)).rejects.toThrow('no user')
})

it('counts wrong tokens as attempts to sign in', async () => {
  const browser = openBrowser(app)
  for (let attempt = 0; attempt < 10; attempt++)
    expect((await browser.auth('/sign-in/link', { token: 'wrong' })).status).toBe(401)
  expect((await browser.auth('/sign-in/link', { token: 'wrong' })).status).toBe(429)
})
