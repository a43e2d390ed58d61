import { beforeEach, expect, it } from 'vitest'
import { createAuthenticator } from '../../../test/clients/authenticator.ts'
import {
  type Browser,
  errorOf,
  newPerson,
  openBrowser,
  type Person,
  signIn,
  signInMethods,
} from '../../../test/clients/browser.ts'
import { codeOf } from '../../../test/clients/totp.ts'
import { done, newTeam } from '../../../test/factories/team.ts'
import { sharedTestApp } from '../../../test/harness/app.ts'

const login = '{ login { email } }'

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

async function addPasskey(authenticator = createAuthenticator({ origin: app.url }), name = 'laptop') {
  const options = (await browser.auth('/passkey/generate-register-options')).body
  const result = await browser.auth('/passkey/verify-registration', { response: authenticator.register(options), name })
  return { authenticator, result, options }
}

async function signInBy(authenticator: ReturnType<typeof createAuthenticator>) {
  const fresh = openBrowser(app)
  const options = (await fresh.auth('/passkey/generate-authenticate-options')).body
  const response = authenticator.authenticate(options)
  return { fresh, response, result: await fresh.auth('/passkey/verify-authentication', { response }) }
}

it('adds, lists, uses, renames, and deletes passkeys', async () => {
  const { authenticator, result, options } = await addPasskey()
  expect(options.user.name).toBe(person.email)
  expect(options.authenticatorSelection).toMatchObject({ userVerification: 'required' })
  expect(result.body).toEqual({ passkey: { id: expect.any(String), name: 'laptop', created: expect.any(String) } })
  const { id } = result.body.passkey
  expect((await browser.auth('/get-session')).body.passkeys).toBe(1)

  const { fresh, result: signedIn } = await signInBy(authenticator)
  expect([signedIn.status, signedIn.body]).toEqual([200, { signedIn: true }])
  expect((await fresh.query(login)).body.data.login.email).toBe(person.email)
  expect(await signInMethods(browser)).toEqual(['passkey', 'password'])

  const renamed = await browser.auth('/passkey/update-passkey', { id, name: 'phone' })
  expect(renamed.body.passkey).toMatchObject({ id, name: 'phone' })
  expect((await browser.auth('/passkey/list-user-passkeys')).body.passkeys).toMatchObject([{ id, name: 'phone' }])
  expect((await browser.auth('/passkey/delete-passkey', { id })).body).toEqual({ deleted: true })
  const types = '[PASSKEY_ADD, PASSKEY_UPDATE, PASSKEY_REMOVE]'
  const { body } = await browser.query(`{ login { events(types: ${types}) { items { type data } } } }`)
  const from = { address: '127.0.0.1', agent: 'Test Browser', id }
  expect(body.data.login.events.items).toEqual([
    { type: 'PASSKEY_REMOVE', data: from },
    { type: 'PASSKEY_UPDATE', data: { ...from, name: 'phone' } },
    { type: 'PASSKEY_ADD', data: { ...from, name: 'laptop' } },
  ])
  const { result: rejected } = await signInBy(authenticator)
  expect(errorOf(rejected)).toEqual([401, 'UNAUTHENTICATED', 'passkey-refused'])
})

it('signs in with a passkey instead of the password and the code', async () => {
  const { authenticator } = await addPasskey()
  const { body } = await browser.auth('/two-factor/enable', { password: person.password })
  expect((await browser.auth('/two-factor/verify-totp', { code: codeOf(body.totpURI) })).status).toBe(200)
  expect((await signInBy(authenticator)).result.body).toEqual({ signedIn: true })
})

it('rejects a sign-in with a passkey that does not verify the user', async () => {
  const { authenticator } = await addPasskey(createAuthenticator({ origin: app.url, verifiesUser: false }))
  expect(errorOf((await signInBy(authenticator)).result)).toEqual([401, 'UNAUTHENTICATED', 'passkey-refused'])
})

it('rejects a passkey response from another origin, and a response that was already used', async () => {
  const { authenticator } = await addPasskey()
  const { fresh, response } = await signInBy(authenticator)
  const again = await fresh.auth('/passkey/verify-authentication', { response })
  expect(errorOf(again)).toEqual([401, 'UNAUTHENTICATED', 'passkey-refused'])
  const elsewhere = await openBrowser(app).auth('/passkey/verify-authentication', { response })
  expect(errorOf(elsewhere)).toEqual([401, 'UNAUTHENTICATED', 'passkey-refused'])
  const phishing = createAuthenticator({ origin: 'https://evil.example' })
  const { result } = await addPasskey(phishing)
  expect(errorOf(result)).toEqual([400, 'BAD_USER_INPUT', undefined])
})

it("does not list, rename, or delete another user's passkeys", async () => {
  const { authenticator, result } = await addPasskey()
  const { id } = result.body.passkey
  const intruder = await signIn(app, await newPerson(app))
  for (const [path, body] of [
    ['/passkey/update-passkey', { name: 'mine' }],
    ['/passkey/delete-passkey', {}],
  ] as const) {
    const theirs = await intruder.auth(path, { ...body, id })
    expect(errorOf(theirs)).toEqual([404, 'NOT_FOUND', undefined])
  }
  expect((await intruder.auth('/passkey/list-user-passkeys')).body).toEqual({ passkeys: [] })
  expect((await signInBy(authenticator)).result.status).toBe(200)
})

it('rejects a new passkey more than a day after sign-in', async () => {
  const dayAgo = new Date(Date.now() - 86_400_000)
  await app.db.updateTable('session').set({ created: dayAgo }).where('account_id', '=', person.id).execute()
  const result = await browser.auth('/passkey/generate-register-options')
  expect(errorOf(result)).toEqual([403, 'FORBIDDEN', 'session-not-fresh'])
})

it('lets a new person accept an invitation with a new passkey', async () => {
  const { account, owner } = await newTeam(app)
  const email = `passkey-${account.email}`
  const invite = async (to: string): Promise<string> => {
    const create = 'mutation ($email: String) { createInvitation(roleId: "viewer", email: $email) { link } }'
    return (await done(owner, create, { email: to })).createInvitation.link.split('#')[1]
  }
  const [token, other] = [await invite(email), await invite(`other-${email}`)]
  const fresh = openBrowser(app)
  const optionsOf = async (invitation: string) =>
    (await fresh.auth('/invitation/passkey-options', { token: invitation, name: 'Lin' })).body
  const accept = (passkey: object, more = {}) =>
    fresh.auth('/accept-invitation', { token, name: 'Lin', passkey, ...more })
  const authenticator = createAuthenticator({ origin: app.url })

  const options = await optionsOf(token)
  expect(options.user).toMatchObject({ name: email, displayName: 'Lin' })
  const registered = (origin: string, verifiesUser: boolean, from: typeof options) =>
    createAuthenticator({ origin, verifiesUser }).register(from)
  const wrong = [
    await accept({}),
    await accept(authenticator.register(options), { password: 'correct horse battery staple' }),
    await accept(registered(app.url, true, await optionsOf(other))),
    await accept(registered('https://evil.example', true, await optionsOf(token))),
    await accept(registered(app.url, false, await optionsOf(token))),
  ]
  expect(wrong.map(errorOf)).toEqual(wrong.map(() => [400, 'BAD_USER_INPUT', undefined]))
  now += 61_000
  const passkey = authenticator.register(options)
  const { status, body } = await accept(passkey)
  expect([status, body]).toEqual([200, { signedIn: true }])
  const { body: asked } = await fresh.query('{ login { id } me { person { email name } } }')
  expect(asked.data).toEqual({ login: { id: account.accountId }, me: { person: { email, name: 'Lin' } } })
  const signIns = '{ login { events(types: [AUTH_LOGIN]) { items { actor { email } data } } } }'
  const { events } = (await done(owner, signIns)).login
  const own = events.items.filter(({ actor }: { actor: { email: string } }) => actor.email === email)
  expect(own).toMatchObject([{ data: { method: 'passkey' } }])
  expect((await fresh.auth('/get-session')).body).toMatchObject({ password: false, passkeys: 1 })
  expect((await openBrowser(app).auth('/accept-invitation', { token, passkey })).status).toBe(404)
  const { fresh: again, result } = await signInBy(authenticator)
  expect(result.body).toEqual({ signedIn: true })

  const { passkeys } = (await again.auth('/passkey/list-user-passkeys')).body
  const removed = await again.auth('/passkey/delete-passkey', { id: passkeys[0].id })
  expect(errorOf(removed)).toEqual([409, 'CONFLICT', undefined])
  expect((await again.auth('/get-session')).body.passkeys).toBe(1)
})

it('creates a passkey for a new person only with a valid invitation and an unused address, within five minutes', async () => {
  const { owner } = await newTeam(app)
  const create = 'mutation { createInvitation(roleId: "viewer") { link } }'
  const token = (await done(owner, create)).createInvitation.link.split('#')[1]
  const fresh = openBrowser(app)
  const optionsFor = (more: object) => fresh.auth('/invitation/passkey-options', { token, ...more })
  const rejected = [
    await optionsFor({ token: 'x', email: 'new@example.com' }),
    await optionsFor({}),
    await optionsFor({ email: 'new' }),
    await optionsFor({ email: person.email.toUpperCase() }),
  ]
  expect(rejected.map((each) => errorOf(each).slice(0, 2))).toEqual([
    [404, 'NOT_FOUND'],
    [400, 'BAD_USER_INPUT'],
    [400, 'BAD_USER_INPUT'],
    [409, 'CONFLICT'],
  ])
  const email = `new-${person.email}`
  const { body: options } = await optionsFor({ email })
  const passkey = createAuthenticator({ origin: app.url }).register(options)
  now += 300_000
  const late = await fresh.auth('/accept-invitation', { token, email, passkey })
  expect(errorOf(late)).toEqual([400, 'BAD_USER_INPUT', undefined])
})
