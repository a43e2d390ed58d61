import { sql } from 'kysely'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { createAuthenticator } from '../../../../test/clients/authenticator.ts'
import {
  type Browser,
  type BrowserResponse,
  errorOf,
  newPerson,
  openBrowser,
  type Person,
  signIn,
} from '../../../../test/clients/browser.ts'
import { codeOf, nextCodeOf } from '../../../../test/clients/totp.ts'
import { statActivity } from '../../../../test/cluster/cluster-databases.ts'
import { sharedTestApp } from '../../../../test/harness/app.ts'
import { resetPassword } from './operator-password-reset.ts'
import { createPasswordLink } from './password-reset-link.ts'

/** The server counts attempts per minute, so each test runs in a separate minute. */
let now = Date.now()
let person: Person
let browser: Browser
const app = sharedTestApp({ clock: () => new Date(now) })
beforeEach(async () => {
  now += 61_000
  person = await newPerson(app)
  browser = await signIn(app, person)
  const options = (await browser.auth('/passkey/generate-register-options')).body
  const response = createAuthenticator({ origin: app.url }).register(options)
  await browser.auth('/passkey/verify-registration', { response, name: 'laptop' })
})

const reset = (email: string, { passwordOnly = false } = {}) =>
  app.db.transaction().execute((transaction) => resetPassword(transaction, { email, passwordOnly }))

it('replaces the password, and ends every session', async () => {
  const given = await reset(person.email.toUpperCase())
  expect(given).toMatchObject({ sessions: 1, user: { email: person.email, hasTotp: false, passkeys: 1 } })
  const ended = await browser.query('{ login { email } }')
  expect(errorOf(ended)).toEqual([401, 'UNAUTHENTICATED', 'session-ended'])
  const before = await openBrowser(app).auth('/sign-in/email', { email: person.email, password: person.password })
  expect(before.status).toBe(401)
  const fresh = await signIn(app, { ...person, password: given.password })
  expect((await fresh.auth('/get-session')).body).toMatchObject({ passkeys: 1, totp: false })
})

it('keeps two-factor authentication unless the reset removes it', async () => {
  const { totpURI } = (await browser.auth('/two-factor/enable', { password: person.password })).body
  await browser.auth('/two-factor/verify-totp', { code: codeOf(totpURI) })
  const { email } = person
  const halfWay = openBrowser(app)
  await halfWay.auth('/sign-in/email', { email, password: person.password })

  const first = await reset(email)
  expect(first.user).toMatchObject({ hasTotp: true, passkeys: 1 })
  const late = await halfWay.auth('/two-factor/verify-totp', { code: codeOf(totpURI) })
  expect(errorOf(late)).toEqual([401, 'UNAUTHENTICATED', 'sign-in-expired'])
  const signInResponse = await openBrowser(app).auth('/sign-in/email', { email, password: first.password })
  expect(signInResponse.body).toEqual({ signedIn: false, needs: 'totp' })

  const second = await reset(email, { passwordOnly: true })
  expect(second.user).toMatchObject({ hasTotp: false, passkeys: 0 })
  const fresh = await signIn(app, { ...person, password: second.password })
  expect((await fresh.auth('/get-session')).body).toMatchObject({ passkeys: 0, totp: false })
  const again = await fresh.auth('/two-factor/enable', { password: second.password })
  expect(again.body.totpURI).not.toBe(totpURI)
})

it('requires a code again in a trusted browser, and does not affect other users', async () => {
  const { email, password } = person
  const { totpURI } = (await browser.auth('/two-factor/enable', { password })).body
  await browser.auth('/two-factor/verify-totp', { code: codeOf(totpURI) })
  const trusted = openBrowser(app)
  await trusted.auth('/sign-in/email', { email, password })
  await trusted.auth('/two-factor/verify-totp', { code: nextCodeOf(totpURI), trustDevice: true })
  await trusted.auth('/sign-out', {})
  const other = await newPerson(app)
  const given = await reset(other.email, { passwordOnly: true })
  expect(given).toMatchObject({ sessions: 0, user: { email: other.email } })
  expect((await browser.auth('/get-session')).body).toMatchObject({ totp: true, passkeys: 1 })
  expect((await trusted.auth('/sign-in/email', { email, password })).body).toEqual({ signedIn: true })

  const own = await reset(email)
  const signInResponse = await trusted.auth('/sign-in/email', { email, password: own.password })
  expect(signInResponse.body).toEqual({ signedIn: false, needs: 'totp' })
})

describe('a link to set a new password', () => {
  const password = 'another correct horse'
  const create = () => createPasswordLink(app.db, person.id, new Date(now))
  const use = (token: string, given = password) => openBrowser(app).auth('/new-password', { token, password: given })
  const invalid = [401, 'UNAUTHENTICATED', 'sign-in-link']

  it('works once, and ends every session', async () => {
    const { token } = await create()
    expect(errorOf(await use(token, 'short'))).toEqual([400, 'BAD_USER_INPUT', undefined])
    const answers = await Promise.all([use(token), use(token)])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 401])
    expect(errorOf(await browser.query('{ login { email } }'))).toEqual([401, 'UNAUTHENTICATED', 'session-ended'])
    const fresh = await signIn(app, { ...person, password })
    const { body } = await fresh.query('{ login { events(types: [PASSWORD_CHANGE]) { items { data } } } }')
    const data = { address: expect.any(String), agent: expect.any(String) }
    expect(body.data.login.events.items).toEqual([{ data }])
  })

  it('does not work for a removed person', async () => {
    const { token } = await create()
    const removed = { removed: new Date(now), disabled: new Date(now) }
    await app.db.updateTable('person').set(removed).where('id', '=', person.id).execute()
    expect(errorOf(await use(token))).toEqual(invalid)
  })

  it('expires after a day or with the next reset', async () => {
    const { token } = await create()
    await reset(person.email)
    expect(errorOf(await use(token))).toEqual(invalid)
    const { token: later } = await create()
    now += 86_400_000
    expect(errorOf(await use(later))).toEqual(invalid)
  })

  it('does not replace the code from an authenticator app', async () => {
    const { totpURI } = (await browser.auth('/two-factor/enable', { password: person.password })).body
    await browser.auth('/two-factor/verify-totp', { code: codeOf(totpURI) })
    expect((await use((await create()).token)).status).toBe(200)
    const { body } = await openBrowser(app).auth('/sign-in/email', { email: person.email, password })
    expect(body).toEqual({ signedIn: false, needs: 'totp' })
  })
})

describe('a request that starts with the old password and ends after a reset', () => {
  /** Sends a request during a password reset, and delays the reset's commit until the request waits for a lock. */
  async function during(begin: () => Promise<BrowserResponse>): Promise<{ given: string; response: BrowserResponse }> {
    let running: Promise<BrowserResponse> | undefined
    const given = await app.db.transaction().execute(async (transaction) => {
      const { password } = await resetPassword(transaction, { email: person.email, passwordOnly: false })
      running = begin()
      await vi.waitFor(async () => expect(await countWaiting()).toBe(1), { timeout: 60_000 })
      return password
    })
    return { given, response: await running! }
  }

  async function countWaiting(): Promise<number> {
    const { rows } = await sql<{ count: number }>`select count(*)::int as count from ${sql.table(statActivity)}
      where datname = current_database() and wait_event_type = 'Lock'`.execute(app.db)
    return rows[0]!.count
  }

  it('does not sign the user in', async () => {
    const { email, password } = person
    const { given, response } = await during(() => openBrowser(app).auth('/sign-in/email', { email, password }))
    expect(errorOf(response)).toEqual([401, 'UNAUTHENTICATED', 'wrong-password'])
    const fresh = await signIn(app, { ...person, password: given })
    expect((await fresh.auth('/list-sessions')).body.sessions).toHaveLength(1)
  })

  it('does not change the password', async () => {
    const newPassword = 'correct horse battery staple'
    const body = { currentPassword: person.password, newPassword }
    const { given, response } = await during(() => browser.auth('/change-password', body))
    expect(errorOf(response)).toEqual([400, 'BAD_USER_INPUT', 'wrong-password'])
    const tried = await openBrowser(app).auth('/sign-in/email', { email: person.email, password: newPassword })
    expect(tried.status).toBe(401)
    await signIn(app, { ...person, password: given })
  })
})

it('rejects an unknown email address', async () => {
  await expect(reset('unknown@example.com')).rejects.toMatchObject({ code: 'NOT_FOUND' })
})
