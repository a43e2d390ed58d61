import { beforeEach, describe, expect, it } from 'vitest'
import { createAuthenticator } from '../../../../test/clients/authenticator.ts'
import { type Browser, errorOf, newPerson, openBrowser, type Person, signIn } from '../../../../test/clients/browser.ts'
import { codeOf, nextCodeOf } from '../../../../test/clients/totp.ts'
import { sharedTestApp } from '../../../../test/harness/app.ts'
import { ssoSettings } from '../../../../test/single-sign-on/sign-on.ts'

const create = 'mutation { createAccessKey(name: "laptop") { key } }'
const HOUR_MS = 3_600_000

let now: number
let person: Person
let browser: Browser
const clock = () => new Date(now)
const app = sharedTestApp({ clock })
beforeEach(async () => {
  now = Date.now()
  person = await newPerson(app)
  browser = await signIn(app, person)
})

/** Returns the reason for the rejection, or undefined if the key was created. */
async function createKeyError(from = browser): Promise<string | undefined> {
  const { body } = await from.query(create)
  return body.errors?.[0].extensions.reason
}

async function addPasskey(from: Browser) {
  const authenticator = createAuthenticator({ origin: app.url })
  const options = (await from.auth('/passkey/generate-register-options')).body
  await from.auth('/passkey/verify-registration', { response: authenticator.register(options), name: 'laptop' })
  return authenticator
}

describe('creating an access key in a session', () => {
  it('requires a sign-in within the last hour', async () => {
    now += HOUR_MS - 600_000
    expect(await createKeyError()).toBeUndefined()
    now += 1_200_000
    const { body } = await browser.query(create)
    expect(body.errors[0]).toMatchObject({
      message: expect.stringContaining('POST /auth/confirm-sign-in'),
      extensions: { code: 'FORBIDDEN', reason: 'sign-in-too-old' },
    })
    expect((await browser.query('{ login { accessKeys { name } } }')).body.data.login.accessKeys).toHaveLength(1)
  })

  it('requires single sign-on again if the server accepts nothing else', async () => {
    const env = { ...ssoSettings('http://127.0.0.1:1'), MUSTER_SIGN_IN: 'sso' }
    const server = await app.startAnother({ env, clock })
    now += 2 * HOUR_MS
    const rejections = [
      await browser.query(create, {}, { server }),
      await browser.send('/auth/sso/link', { body: {}, server }),
    ]
    for (const { body } of rejections)
      expect(body.errors[0]).toMatchObject({
        message: 'you last signed in more than an hour ago: sign in again with single sign-on, then retry',
        extensions: { code: 'FORBIDDEN', reason: 'sign-in-too-old' },
      })
    await server.close()
  })

  it('is allowed for an hour after the user confirms the password', async () => {
    now += 2 * HOUR_MS
    const wrong = await browser.auth('/confirm-sign-in', { password: 'not it' })
    expect(errorOf(wrong)).toEqual([400, 'BAD_USER_INPUT', 'wrong-password'])
    expect(await createKeyError()).toBe('sign-in-too-old')
    expect((await browser.auth('/confirm-sign-in', { password: person.password })).body).toEqual({ confirmed: true })
    expect(await createKeyError()).toBeUndefined()
    now += HOUR_MS + 1_000
    expect(await createKeyError()).toBe('sign-in-too-old')
  })

  it('is allowed after the user confirms with a code, which works only once', async () => {
    const { body } = await browser.auth('/two-factor/enable', { password: person.password })
    await browser.auth('/two-factor/verify-totp', { code: codeOf(body.totpURI) })
    now += 2 * HOUR_MS
    expect(errorOf(await browser.auth('/confirm-sign-in', { code: '000000' }))[2]).toBe('wrong-code')
    const code = nextCodeOf(body.totpURI)
    expect((await browser.auth('/confirm-sign-in', { code })).body).toEqual({ confirmed: true })
    expect(await createKeyError()).toBeUndefined()
    expect(errorOf(await browser.auth('/confirm-sign-in', { code }))[2]).toBe('wrong-code')
  })

  it('is allowed after the user confirms with a passkey, without starting another session', async () => {
    const authenticator = await addPasskey(browser)
    now += 2 * HOUR_MS
    const options = (await browser.auth('/passkey/generate-authenticate-options')).body
    const confirmed = await browser.auth('/confirm-sign-in', { response: authenticator.authenticate(options) })
    expect(confirmed.body).toEqual({ confirmed: true })
    expect(await createKeyError()).toBeUndefined()
    expect((await browser.auth('/list-sessions')).body.sessions).toHaveLength(1)
  })
})

describe('confirming a sign-in', () => {
  it('does not turn on two-factor authentication if the authenticator app is not set up yet', async () => {
    const { body } = await browser.auth('/two-factor/enable', { password: person.password })
    const response = await browser.auth('/confirm-sign-in', { code: codeOf(body.totpURI) })
    expect(errorOf(response).slice(0, 2)).toEqual([400, 'BAD_USER_INPUT'])
    expect((await browser.auth('/get-session')).body.totp).toBe(false)
  })

  it("rejects another user's passkey", async () => {
    const other = await signIn(app, await newPerson(app))
    const authenticator = await addPasskey(other)
    now += 2 * HOUR_MS
    const requestOptions = (await browser.auth('/passkey/generate-authenticate-options')).body
    const response = await browser.auth('/confirm-sign-in', { response: authenticator.authenticate(requestOptions) })
    expect(errorOf(response)[2]).toBe('passkey-refused')
    expect(await createKeyError()).toBe('sign-in-too-old')
    expect((await other.auth('/list-sessions')).body.sessions).toHaveLength(1)
  })

  it.each([{}, { password: 'a', code: 'b' }])('requires exactly one kind of credentials: %j', async (fields) => {
    expect(errorOf(await browser.auth('/confirm-sign-in', fields)).slice(0, 2)).toEqual([400, 'BAD_USER_INPUT'])
  })

  it('rejects the password of a user without one, and names other ways to confirm', async () => {
    await app.db.updateTable('person').set({ password_hash: null }).where('id', '=', person.id).execute()
    const { status, body } = await browser.auth('/confirm-sign-in', { password: person.password })
    expect([status, body.errors[0].message]).toEqual([
      400,
      'this user has no password: confirm with a code or a passkey, or sign in again',
    ])
  })

  it('requires a session', async () => {
    const response = await openBrowser(app).auth('/confirm-sign-in', { password: person.password })
    expect(errorOf(response)).toEqual([401, 'UNAUTHENTICATED', 'no-session'])
  })

  it('is limited to ten failed attempts a minute', async () => {
    const tries = []
    for (let count = 0; count < 11; count++) tries.push(await browser.auth('/confirm-sign-in', { password: 'not it' }))
    expect(tries.map(({ status }) => status)).toEqual([...Array(10).fill(400), 429])
  })
})
