import { beforeEach, describe, expect, it } from 'vitest'
import {
  type Browser,
  errorOf,
  newPerson,
  openBrowser,
  type Person,
  signIn,
  signInMethods,
} from '../../../test/clients/browser.ts'
import { codeOf, nextCodeOf, wrongCodeOf } from '../../../test/clients/totp.ts'
import { sharedTestApp } from '../../../test/harness/app.ts'

const login = '{ login { email } }'
const WRONG_PASSWORD = [400, 'BAD_USER_INPUT', 'wrong-password']
const WRONG_CODE = [401, 'UNAUTHENTICATED', 'wrong-code']

/** The server counts attempts per minute, so each test runs in a separate minute. */
let now = Date.now()
let person: Person
let browser: Browser
const app = sharedTestApp({ clock: () => new Date(now) })
beforeEach(async () => {
  now += 61_000
  person = await newPerson(app)
  browser = await signIn(app, person)
})

describe('changing the password', () => {
  it('replaces the session, ends every other session, and then accepts only the new password', async () => {
    const second = await signIn(app, person)
    const newPassword = 'correct horse battery staple'
    const before = browser.cookieHeader()
    const response = await browser.auth('/change-password', { currentPassword: person.password, newPassword })
    expect([response.status, response.body]).toEqual([200, { changed: true }])
    expect((await browser.query(login)).body.data.login.email).toBe(person.email)
    for (const cookie of [second.cookieHeader(), before]) {
      const ended = await openBrowser(app).query(login, {}, { headers: { cookie } })
      expect(errorOf(ended)).toEqual([401, 'UNAUTHENTICATED', 'session-ended'])
    }
    const old = await openBrowser(app).auth('/sign-in/email', { email: person.email, password: person.password })
    expect(old.status).toBe(401)
    await signIn(app, { ...person, password: newPassword })
  })

  it.each([
    [
      'a wrong current password',
      (right: string) => ({ currentPassword: `${right}x`, newPassword: 'x'.repeat(12) }),
      WRONG_PASSWORD,
    ],
    [
      'a new password of eleven characters',
      (right: string) => ({ currentPassword: right, newPassword: 'x'.repeat(11) }),
      [400, 'BAD_USER_INPUT', undefined],
    ],
    [
      'a new password of 129 characters',
      (right: string) => ({ currentPassword: right, newPassword: 'x'.repeat(129) }),
      [413, 'LIMIT_EXCEEDED', undefined],
    ],
  ])('rejects %s, and changes nothing', async (_what, body, expected) => {
    const second = await signIn(app, person)
    expect(errorOf(await browser.auth('/change-password', body(person.password)))).toEqual(expected)
    expect((await second.query(login)).status).toBe(200)
    await signIn(app, person)
  })

  it('reports that a user has no password', async () => {
    await app.db.updateTable('person').set({ password_hash: null }).where('id', '=', person.id).execute()
    const body = { currentPassword: person.password, newPassword: 'x'.repeat(12) }
    const response = await browser.auth('/change-password', body)
    expect(errorOf(response)).toEqual([400, 'BAD_USER_INPUT', undefined])
    expect(response.body.errors[0].message).toMatch(/^this user has no password to change/)
  })

  it('limits wrong guesses at the current password', async () => {
    const body = { currentPassword: 'wrong', newPassword: 'x'.repeat(12) }
    for (let time = 0; time < 10; time++) {
      expect(errorOf(await browser.auth('/change-password', body))).toEqual(WRONG_PASSWORD)
    }
    const right = { ...body, currentPassword: person.password }
    expect((await browser.auth('/change-password', right)).status).toBe(429)
    expect((await browser.auth('/two-factor/enable', { password: person.password })).status).toBe(429)
  })

  it('keeps the hash format of earlier releases', async () => {
    await browser.auth('/change-password', { currentPassword: person.password, newPassword: 'x'.repeat(20) })
    const { password_hash } = await app.db
      .selectFrom('account')
      .select('password_hash')
      .where('id', '=', person.id)
      .executeTakeFirstOrThrow()
    expect(password_hash).toMatch(/^[0-9a-f]{32}:[0-9a-f]{128}$/)
  })
})

describe('the name of a person', () => {
  it('can be changed and cleared, and is limited to 100 characters', async () => {
    const named = await browser.auth('/update-user', { name: 'Ada' })
    expect(named.body).toEqual({ user: { id: person.id, email: person.email, name: 'Ada' } })
    expect((await browser.query('{ login { name } }')).body.data.login.name).toBe('Ada')
    expect((await browser.auth('/update-user', { name: null })).body.user.name).toBeNull()
    const { status } = await browser.auth('/update-user', { name: 'x'.repeat(101) })
    expect(status).toBe(413)
    const { status: tooLarge, body } = await browser.auth('/update-user', { name: 'x'.repeat(65_536) })
    expect(tooLarge).toBe(413)
    expect(body.errors[0].message).toBe('the body may have at most 65536 bytes, but has 65547')
  })
})

async function enable(): Promise<{ totpURI: string; backupCodes: string[] }> {
  const { body } = await browser.auth('/two-factor/enable', { password: person.password })
  const first = await browser.auth('/two-factor/verify-totp', { code: codeOf(body.totpURI) })
  expect([first.status, first.body]).toEqual([200, { signedIn: true }])
  return body
}

async function firstStep(): Promise<Browser> {
  const fresh = openBrowser(app)
  const { email, password } = person
  const response = await fresh.auth('/sign-in/email', { email, password })
  expect([response.status, response.body]).toEqual([200, { signedIn: false, needs: 'totp' }])
  return fresh
}

describe('codes from an authenticator app', () => {
  it('are required at sign-in after the user has entered the first code', async () => {
    const { body } = await browser.auth('/two-factor/enable', { password: person.password })
    expect(new URL(body.totpURI).pathname).toContain(encodeURIComponent(person.email))
    expect(new URL(body.totpURI).searchParams.get('issuer')).toBe('Muster')
    expect(new Set(body.backupCodes).size).toBe(10)
    await signIn(app, person)
    expect((await browser.auth('/get-session')).body.totp).toBe(false)

    const wrong = await browser.auth('/two-factor/verify-totp', { code: wrongCodeOf(body.totpURI) })
    expect(errorOf(wrong)).toEqual([401, 'UNAUTHENTICATED', 'wrong-code'])
    await browser.auth('/two-factor/verify-totp', { code: codeOf(body.totpURI) })
    expect((await browser.auth('/get-session')).body.totp).toBe(true)

    const fresh = await firstStep()
    expect(errorOf(await fresh.query(login))).toEqual([401, 'UNAUTHENTICATED', 'missing'])
    expect((await fresh.auth('/get-session')).body).toEqual({ user: null })
    const spaced = nextCodeOf(body.totpURI).replace(/^.../, '$& ')
    expect((await fresh.auth('/two-factor/verify-totp', { code: spaced })).body).toEqual({ signedIn: true })
    expect((await fresh.query(login)).body.data.login.email).toBe(person.email)
    expect(await signInMethods(browser)).toEqual(['password and code', 'password', 'password'])
  })

  it('can each be used only once', async () => {
    const { totpURI } = await enable()
    const [one, other] = [await firstStep(), await firstStep()]
    const code = nextCodeOf(totpURI)
    expect((await one.auth('/two-factor/verify-totp', { code })).body).toEqual({ signedIn: true })
    const again = await other.auth('/two-factor/verify-totp', { code })
    expect(errorOf(again)).toEqual([401, 'UNAUTHENTICATED', 'wrong-code'])
    expect(other.cookies.has('muster.session_token')).toBe(false)
    expect((await one.auth('/list-sessions')).body.sessions).toHaveLength(2)
  })

  it('cannot be used again after they have turned on two-factor authentication', async () => {
    const { body } = await browser.auth('/two-factor/enable', { password: person.password })
    const code = codeOf(body.totpURI)
    expect((await browser.auth('/two-factor/verify-totp', { code })).status).toBe(200)
    for (const again of [browser, await firstStep()])
      expect(errorOf(await again.auth('/two-factor/verify-totp', { code }))).toEqual(WRONG_CODE)
  })

  it('end the sign-in after five wrong codes', async () => {
    const { totpURI } = await enable()
    const fresh = await firstStep()
    for (let time = 0; time < 5; time++) {
      const response = await fresh.auth('/two-factor/verify-totp', { code: wrongCodeOf(totpURI) })
      expect(errorOf(response)).toEqual([401, 'UNAUTHENTICATED', 'wrong-code'])
    }
    const right = await fresh.auth('/two-factor/verify-totp', { code: codeOf(totpURI) })
    expect(errorOf(right)).toEqual([401, 'UNAUTHENTICATED', 'sign-in-expired'])
    expect(errorOf(await fresh.query(login))).toEqual([401, 'UNAUTHENTICATED', 'missing'])
  })

  it('are rate-limited after ten wrong ones in a row, and the error contains the remaining time', async () => {
    const { totpURI } = await enable()
    const verify = (from: Browser) => from.auth('/two-factor/verify-totp', { code: wrongCodeOf(totpURI) })
    for (let round = 0; round < 2; round++) {
      now += 61_000
      const fresh = await firstStep()
      for (let time = 0; time < 5; time++) expect((await verify(fresh)).status).toBe(401)
    }
    now += 61_000
    const fresh = await firstStep()
    const remaining = async (): Promise<number> => {
      const { status, headers, body } = await verify(fresh)
      const { message, extensions } = body.errors[0]
      const { retryAfter } = extensions
      expect({ status, extensions }).toEqual({ status: 429, extensions: { code: 'RATE_LIMITED', retryAfter } })
      expect(message).toBe(`too many wrong codes: retry in ${retryAfter} seconds`)
      expect(headers.get('retry-after')).toBe(String(retryAfter))
      return retryAfter
    }
    expect(await remaining()).toBeGreaterThan(600)
    // Shorten the lock, because the test cannot wait for its end.
    const end = new Date(Date.now() + 300_000)
    await app.db.updateTable('account_totp').set({ locked_until: end }).where('account_id', '=', person.id).execute()
    expect(await remaining()).toBeLessThanOrEqual(300)
    const confirmation = await browser.auth('/confirm-sign-in', { code: wrongCodeOf(totpURI) })
    expect(confirmation.status).toBe(429)
    expect(confirmation.body.errors[0].extensions.retryAfter).toBeLessThanOrEqual(300)
  })

  it('are rejected without the password', async () => {
    const { totpURI, backupCodes } = await enable()
    for (const [path, code] of [
      ['/two-factor/verify-totp', codeOf(totpURI)],
      ['/two-factor/verify-backup-code', backupCodes[0]],
    ] as const) {
      const response = await openBrowser(app).auth(path, { code })
      expect(errorOf(response)).toEqual([401, 'UNAUTHENTICATED', 'sign-in-expired'])
    }
  })

  it('are not required in a trusted browser until the user ends all sessions', async () => {
    const { totpURI } = await enable()
    const trusted = await firstStep()
    await trusted.auth('/two-factor/verify-totp', { code: nextCodeOf(totpURI), trustDevice: true })
    await trusted.auth('/sign-out', {})
    const { email, password } = person
    expect((await trusted.auth('/sign-in/email', { email, password })).body).toEqual({ signedIn: true })
    expect((await signInMethods(trusted))[0]).toBe('password in trusted browser')
    await trusted.auth('/revoke-sessions', {})
    expect((await trusted.auth('/sign-in/email', { email, password })).body).toEqual({ signedIn: false, needs: 'totp' })
  })

  it('can be replaced by backup codes, which work once and only until new ones are generated', async () => {
    const { backupCodes } = await enable()
    const [first, second] = backupCodes
    const fresh = await firstStep()
    expect((await fresh.auth('/two-factor/verify-backup-code', { code: first })).body).toEqual({ signedIn: true })
    expect(await signInMethods(browser)).toContain('password and backup code')
    const again = await firstStep()
    const used = await again.auth('/two-factor/verify-backup-code', { code: first })
    expect(errorOf(used)).toEqual([401, 'UNAUTHENTICATED', 'wrong-code'])
    const renewed = await browser.auth('/two-factor/generate-backup-codes', { password: person.password })
    expect(renewed.body.backupCodes).toHaveLength(10)
    expect(errorOf(await again.auth('/two-factor/verify-backup-code', { code: second }))[0]).toBe(401)
    const code = renewed.body.backupCodes[0]
    expect((await again.auth('/two-factor/verify-backup-code', { code })).body).toEqual({ signedIn: true })
  })

  it('can be turned off with only the password', async () => {
    await enable()
    expect(errorOf(await browser.auth('/two-factor/disable', { password: 'wrong' }))).toEqual(WRONG_PASSWORD)
    expect((await browser.auth('/two-factor/disable', { password: person.password })).body).toEqual({ totp: false })
    expect((await browser.query(login)).status).toBe(200)
    await signIn(app, person)
  })

  it('cannot be read from the database', async () => {
    const { totpURI, backupCodes } = await enable()
    const row = await app.db
      .selectFrom('account_totp')
      .selectAll()
      .where('account_id', '=', person.id)
      .executeTakeFirstOrThrow()
    const stored = JSON.stringify(row)
    const secret = new URL(totpURI).searchParams.get('secret') ?? ''
    expect(secret).not.toBe('')
    expect(stored).not.toContain(secret)
    for (const code of backupCodes) expect(stored).not.toContain(code)
    expect(row.encrypted_secret.length).toBeGreaterThan(secret.length)
  })
})
