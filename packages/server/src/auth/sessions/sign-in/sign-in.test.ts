import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Browser, errorOf, newPerson, openBrowser, signIn } from '../../../../test/clients/browser.ts'
import { sharedTestApp, type TestApp } from '../../../../test/harness/app.ts'
import { createUser } from '../../../features/users/create-user.ts'

/** The server counts sign-in attempts per minute, so each test runs in a separate minute. */
let now = Date.now()
const clock = () => new Date(now)
/** Trusts the tests' clients as proxies, so that tests can choose a request's network address. */
const trusting = { MUSTER_TRUSTED_PROXIES: '127.0.0.1' }
const app = sharedTestApp({ clock, env: trusting })
const beginMinute = () => {
  now += 61_000
}
beforeEach(beginMinute)

const WRONG = [401, 'UNAUTHENTICATED', 'wrong-password']
const LIMITED = [429, 'RATE_LIMITED', undefined]

describe('signing in', () => {
  it('sets a cookie that scripts and other sites cannot use, and returns no token', async () => {
    const person = await newPerson(app)
    const browser = openBrowser(app)
    const response = await browser.auth('/sign-in/email', { email: person.email, password: person.password })
    expect([response.status, response.body]).toEqual([200, { signedIn: true }])
    expect(response.setCookies).toHaveLength(1)
    expect(response.setCookies[0]).toMatch(
      /^muster\.session_token=[^;]+; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Strict$/,
    )
    expect(response.headers.get('cache-control')).toBe('no-store')
    const { body } = await browser.auth('/get-session')
    expect(body).toMatchObject({ user: { id: person.id, email: person.email, name: null }, totp: false, passkeys: 0 })
    expect(body.session).toMatchObject({ address: '127.0.0.1', agent: 'Test Browser' })
    const [, token = ''] = /=([^.]+)\./.exec(response.setCookies[0] ?? '') ?? []
    expect(token).toHaveLength(32)
    expect(JSON.stringify(body)).not.toContain(token)
  })

  it('accepts email addresses without a dot in the host, in any case, and with spaces around them', async () => {
    const { email, password } = await createUser(app.db, { email: 'Owner@localhost', name: 'Ada' })
    for (const written of [email, 'owner@LOCALHOST', ` ${email} `]) {
      const browser = openBrowser(app)
      expect((await browser.auth('/sign-in/email', { email: written, password })).body).toEqual({ signedIn: true })
      expect((await browser.auth('/get-session')).body.user).toMatchObject({ email: 'Owner@localhost', name: 'Ada' })
    }
  })

  it('returns the same response for a wrong password, an unknown address, and a user without a password', async () => {
    const [person, without] = [await newPerson(app), await newPerson(app)]
    await app.db.updateTable('account').set({ password_hash: null }).where('id', '=', without.id).execute()
    const responses = []
    for (const email of [person.email, 'unknown@example.com', without.email]) {
      const { status, body, setCookies } = await openBrowser(app).auth('/sign-in/email', {
        email,
        password: `${person.password}x`,
      })
      responses.push({ status, body, setCookies })
    }
    expect(responses[0]).toMatchObject({ status: 401, setCookies: [] })
    expect(responses).toEqual([responses[0], responses[0], responses[0]])
  })

  it.each([
    ['no body', ''],
    ['invalid JSON', '{"email":'],
    ['a list', '[]'],
    ['no password', '{"email":"ada@example.com"}'],
    ['a number', '{"email":"ada@example.com","password":1}'],
    ['an unknown member', '{"email":"ada@example.com","password":"x","callbackURL":"https://evil.example"}'],
    ['the character U+0000', '{"email":"ada\\u0000@example.com","password":"x"}'],
  ])('rejects a request with %s', async (_what, body) => {
    const response = await openBrowser(app).send('/auth/sign-in/email', { method: 'POST', body })
    expect(errorOf(response)).toEqual([400, 'BAD_USER_INPUT', undefined])
  })

  it.each([
    ['without the header', { 'muster-session': undefined }],
    ['as a form', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['as text', { 'content-type': 'text/plain' }],
    ['from another origin', { origin: 'https://evil.example' }],
    ['from a sandboxed frame', { origin: 'null' }],
    ['across sites', { 'sec-fetch-site': 'cross-site' }],
    ['from a sibling host', { 'sec-fetch-site': 'same-site' }],
  ])('rejects a request %s', async (_how, headers) => {
    const { email, password } = await newPerson(app)
    const response = await openBrowser(app).send('/auth/sign-in/email', { body: { email, password }, headers })
    expect(errorOf(response)).toEqual([403, 'FORBIDDEN', 'other-origin'])
    expect(response.setCookies).toEqual([])
  })

  it("ends the browser's earlier session", async () => {
    const person = await newPerson(app)
    const browser = await signIn(app, person)
    const { email, password } = person
    const former = browser.cookieHeader()
    await browser.auth('/sign-in/email', { email, password })
    const response = await browser.query('{ login { email } }', {}, { headers: { cookie: former } })
    expect(errorOf(response)).toEqual([401, 'UNAUTHENTICATED', 'session-ended'])
  })

  it('records AUTH_LOGIN with the address and method, but not for a wrong password', async () => {
    const person = await newPerson(app)
    await openBrowser(app).auth('/sign-in/email', { email: person.email, password: 'wrong' })
    const browser = await signIn(app, person)
    const { body } = await browser.query(
      '{ login { events(types: [AUTH_LOGIN]) { items { owner { id } actor { id } target { id name kind } data } } } }',
    )
    expect(body.data.login.events.items).toEqual([
      {
        owner: { id: person.id },
        actor: { id: person.id },
        target: [{ id: person.id, name: person.email, kind: 'user' }],
        data: { address: '127.0.0.1', agent: 'Test Browser', method: 'password' },
      },
    ])
  })
})

describe('a better-auth function that the server does not use', () => {
  let browser: Browser
  beforeAll(async () => {
    // The previous test may have used up all attempts in its minute.
    beginMinute()
    browser = await signIn(app, await newPerson(app))
  })

  it.each([
    ['POST', '/sign-up/email'],
    ['POST', '/request-password-reset'],
    ['POST', '/reset-password'],
    ['POST', '/change-email'],
    ['POST', '/delete-user'],
    ['POST', '/sign-in/social'],
    ['POST', '/link-social'],
    ['POST', '/set-password'],
    ['POST', '/two-factor/send-otp'],
    ['POST', '/two-factor/get-totp-uri'],
    ['GET', '/ok'],
    ['GET', '/reference'],
    ['GET', '/list-accounts'],
  ])('has no route: %s %s', async (method, path) => {
    const response = await browser.send(`/auth${path}`, { method, ...(method === 'POST' && { body: {} }) })
    expect(errorOf(response)).toEqual([404, 'NOT_FOUND', undefined])
  })
})

describe('the limit on sign-in attempts', () => {
  const signInFrom = (server: TestApp, address: string, body: { email: string; password: string }) =>
    openBrowser(server).send('/auth/sign-in/email', { body, headers: { 'x-forwarded-for': address } })

  it('locks out a user on every server for a minute after attempts from two networks, but not from one', async () => {
    const { email, password } = await newPerson(app)
    const other = await app.startAnother({ clock, env: trusting })
    const guessFrom = async (address: string) => {
      for (let time = 0; time < 12; time++) {
        const server = time % 2 === 0 ? app : other
        const guess = { email: time % 2 === 0 ? email : email.toUpperCase(), password: 'wrong' }
        const error = errorOf(await signInFrom(server, address, guess))
        expect(error).toEqual(time < 10 ? WRONG : LIMITED)
      }
    }
    await guessFrom('203.0.113.1')
    const signedIn = await signInFrom(other, '203.0.113.2', { email, password })
    expect(signedIn.body).toEqual({ signedIn: true })
    await guessFrom('203.0.113.3')
    for (const server of [other, app]) {
      const limited = await signInFrom(server, '203.0.113.4', { email, password })
      expect(errorOf(limited)).toEqual(LIMITED)
      expect(Number(limited.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
      expect(Number(limited.headers.get('retry-after'))).toBeLessThanOrEqual(60)
    }
    now += 61_000
    expect((await signInFrom(other, '203.0.113.4', { email, password })).body).toEqual({ signedIn: true })
    await other.close()
  })

  it('rejects further attempts from one network after ten failures, for any email address', async () => {
    for (let time = 0; time < 10; time++) {
      const response = await openBrowser(app).auth('/sign-in/email', {
        email: `${time}@example.com`,
        password: 'wrong',
      })
      expect(errorOf(response)).toEqual(WRONG)
    }
    const { email, password } = await newPerson(app)
    expect((await openBrowser(app).auth('/sign-in/email', { email, password })).status).toBe(429)
  })

  it('does not count successful attempts', async () => {
    const { email, password } = await newPerson(app)
    for (let time = 0; time < 15; time++) {
      expect((await openBrowser(app).auth('/sign-in/email', { email, password })).status).toBe(200)
    }
  })

  it('counts all attempts that arrive at the same time', async () => {
    const { email } = await newPerson(app)
    const tries = Array.from({ length: 14 }, () =>
      openBrowser(app).auth('/sign-in/email', { email, password: 'wrong' }),
    )
    const statuses = (await Promise.all(tries)).map(({ status }) => status).sort()
    expect(statuses).toEqual([...Array(10).fill(401), ...Array(4).fill(429)])
  })
})
