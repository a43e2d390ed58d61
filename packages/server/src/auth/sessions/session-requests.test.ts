import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type Browser, errorOf, newPerson, openBrowser, type Person, signIn } from '../../../test/clients/browser.ts'
import { openStream } from '../../../test/clients/event-stream.ts'
import { openSessionStream } from '../../../test/clients/session-stream.ts'
import { startTestApp, type TestApp } from '../../../test/harness/app.ts'

const DAY = 86_400_000
const login = '{ login { email } }'
const MISSING = [401, 'UNAUTHENTICATED', 'missing']
const ENDED = [401, 'UNAUTHENTICATED', 'session-ended']

let app: TestApp
let other: TestApp
let ahead = 0
beforeAll(async () => {
  const clock = () => new Date(Date.now() + ahead)
  app = await startTestApp({ clock })
  other = await app.startAnother({ clock })
})
afterAll(async () => {
  await other.close()
  await app.close()
})

let reader: { browser: Browser; email: string }
beforeAll(async () => {
  const one = await newPerson(app)
  reader = { browser: await signIn(app, one), email: one.email }
})

let person: Person
const signedIn = async (): Promise<Browser> => {
  person = await newPerson(app)
  return signIn(app, person)
}

describe('a session', () => {
  it('authenticates its user for queries on every server, and for mutations', async () => {
    const browser = await signedIn()
    for (const server of [app, other]) {
      const { status, body } = await browser.query(login, {}, { server })
      expect([status, body]).toEqual([200, { data: { login: { email: person.email } } }])
    }
    const created = await browser.query('mutation { createAccessKey(name: "laptop") { key secret } }')
    expect(created.body.data.createAccessKey).toMatchObject({ secret: expect.any(String) })
    const written = await browser.query(
      `mutation { setAttribute(serviceId: ${JSON.stringify(person.id)}, name: "$ui.label", value: "Site") }`,
    )
    expect(written.body.errors).toBeUndefined()
  })

  it("cannot access another user's devices", async () => {
    const browser = await signedIn()
    const id = (await app.owner.data('mutation { registerDevice(name: "theirs", hardwareId: "x") { device { id } } }'))
      .registerDevice.device.id
    const { body } = await browser.query(`{ login { devices { total items { id } } device(id: ["${id}"]) { id } } }`)
    expect(body.data.login).toEqual({ devices: { total: 0, items: [] }, device: [] })
    const { body: rejected } = await browser.query(`mutation { deleteDevice(deviceId: "${id}", force: true) }`)
    expect(rejected.errors[0].extensions.code).toBe('NOT_FOUND')
  })

  it.each([
    ['without the header', { 'muster-session': undefined }],
    ['with a wrong header value', { 'muster-session': 'yes' }],
    ['from another origin', { origin: 'https://evil.example' }],
    ['from this host on another port', { origin: 'http://127.0.0.1:1' }],
    ['from a sandboxed frame', { origin: 'null' }],
    ['across sites', { 'sec-fetch-site': 'cross-site' }],
    ['from a sibling host', { 'sec-fetch-site': 'same-site' }],
    ['for an address that the user typed', { 'sec-fetch-site': 'none' }],
  ])('is ignored in a request %s', async (_how, headers) => {
    const { browser } = reader
    expect(errorOf(await browser.query(login, {}, { headers }))).toEqual(MISSING)
    const open = await browser.query('{ version }', {}, { headers })
    expect([open.status, open.body.errors]).toEqual([200, undefined])
  })

  it.each(['application/x-www-form-urlencoded', 'text/plain', 'multipart/form-data; boundary=x', 'application/jsonp'])(
    'is ignored if the content type is %s',
    async (type) => {
      const { browser, email } = reader
      const response = await browser.query(login, {}, { headers: { 'content-type': type } })
      expect(response.status).toBeGreaterThanOrEqual(400)
      expect(JSON.stringify(response.body)).not.toContain(email)
    },
  )

  it('is ignored in GraphQL requests with GET and in REST requests', async () => {
    const { browser } = reader
    const get = await browser.send(`/graphql/v1?query=${encodeURIComponent(login)}`)
    expect(errorOf(get)).toEqual(MISSING)
    const stream = await browser.send(
      `/graphql/v1/stream?query=${encodeURIComponent('subscription { events { id } }')}`,
      {
        headers: { accept: 'text/event-stream' },
      },
    )
    expect(stream.status).toBe(401)
    expect((await browser.send('/rest/v1/user')).status).toBe(401)
    const posted = await browser.send('/rest/v1/access-keys', { body: {} })
    expect(posted.status).toBe(401)
  })

  it('is accepted in a request from this origin with typical browser headers', async () => {
    const { browser } = reader
    for (const headers of [
      { origin: app.url, 'sec-fetch-site': 'same-origin' },
      { origin: undefined },
      { 'content-type': 'application/json; charset=utf-8' },
    ]) {
      expect((await browser.query(login, {}, { headers })).status).toBe(200)
    }
  })

  it('is ignored if the request has a signature', async () => {
    const browser = await signedIn()
    const wrong = await browser.query(login, {}, { headers: { authorization: 'Signature keyId="a",headers="date"' } })
    expect([400, 401]).toContain(wrong.status)
    expect(wrong.body.errors[0].extensions.reason).not.toBe('session-ended')
    expect(wrong.body.data).toBeUndefined()
    const stream = await openStream({
      app,
      user: app.owner,
      query: 'subscription { events { owner { email } } }',
      headers: { cookie: browser.cookieHeader(), 'muster-session': '1' },
    })
    await browser.query('mutation { createAccessKey { key } }')
    await app.owner.data('mutation { createRegistrationCode { code } }')
    await expect.poll(() => stream.messages.length).toBeGreaterThan(0)
    expect(stream.messages[0]?.data.data.events.owner.email).toBe(app.owner.email)
    stream.cut()
  })

  it('cannot be forged with the contents of the database', async () => {
    await signedIn()
    const { token } = await app.db
      .selectFrom('session')
      .select('token')
      .where('account_id', '=', person.id)
      .executeTakeFirstOrThrow()
    for (const value of [token, `${token}.`, `${token}.${token}`, encodeURIComponent(`${token}.AAAA=`), '.', '%']) {
      const response = await openBrowser(app).query(login, {}, { headers: { cookie: `muster.session_token=${value}` } })
      expect(errorOf(response)).toEqual(ENDED)
      const who = await openBrowser(app).send('/auth/get-session', {
        headers: { cookie: `muster.session_token=${value}` },
      })
      expect([who.status, who.body]).toEqual([200, { user: null }])
    }
  })

  it('lasts thirty days after its last use', async () => {
    const browser = await signedIn()
    onTestFinished(() => {
      ahead = 0
    })
    for (const days of [20, 20]) {
      ahead += days * DAY
      const { status, setCookies } = await browser.query(login)
      expect(status).toBe(200)
      expect(setCookies).toEqual([
        expect.stringMatching(/^muster\.session_token=.*Max-Age=2592000; Path=\/; HttpOnly; SameSite=Strict$/),
      ])
      expect((await browser.query(login)).setCookies).toEqual([])
    }
    ahead += 31 * DAY
    const late = await browser.query(login)
    expect(errorOf(late)).toEqual(ENDED)
    expect(browser.cookies.size).toBe(0)
    expect(errorOf(await browser.query(login))).toEqual(MISSING)
  })

  it("authorizes downloads of its user's events until the session ends", async () => {
    const browser = await signedIn()
    const { body } = await browser.query('{ login { eventsUrl(types: [AUTH_LOGIN]) } }')
    const csv = await fetch(body.data.login.eventsUrl)
    expect(csv.status).toBe(200)
    expect(await csv.text()).toContain(person.email)
    await browser.auth('/sign-out', {})
    expect((await fetch(body.data.login.eventsUrl)).status).toBe(401)
  })
})

describe('ending sessions', () => {
  it('takes effect on every server after a sign-out, and ends open streams', async () => {
    const browser = await signedIn()
    const before = browser.cookieHeader()
    const streams = await Promise.all([app, other].map((server) => openSessionStream(server, browser)))
    expect(streams.map(({ status }) => status)).toEqual([200, 200])
    const out = await browser.auth('/sign-out', {})
    expect([out.status, out.body, browser.cookies.size]).toEqual([200, { signedIn: false }, 0])
    for (const server of [app, other]) {
      expect(errorOf(await browser.query(login, {}, { server, headers: { cookie: before } }))).toEqual(ENDED)
    }
    for (const { ended } of streams) expect(await ended).toContain('session-ended')
    expect((await browser.auth('/sign-out', {})).status).toBe(200)
  })

  it("ends all of the user's sessions and streams, and no other user's", async () => {
    const browser = await signedIn()
    const [second, stranger] = [await signIn(other, person), await signIn(app, await newPerson(app))]
    const stream = await openSessionStream(other, second)
    expect((await browser.auth('/revoke-sessions', {})).body).toEqual({ revoked: 2 })
    expect(await stream.ended).toContain('session-ended')
    expect(errorOf(await second.query(login))).toEqual(ENDED)
    expect(errorOf(await browser.query(login))).toEqual(MISSING)
    expect((await stranger.query(login)).status).toBe(200)
  })

  it('ends a single session, or all sessions except the current one', async () => {
    const browser = await signedIn()
    const [second, third] = [await signIn(app, person), await signIn(app, person)]
    const { sessions } = (await browser.auth('/list-sessions')).body
    expect(sessions).toHaveLength(3)
    expect(sessions.filter(({ current }: { current: boolean }) => current)).toHaveLength(1)
    expect(Object.keys(sessions[0]).sort()).toEqual(
      ['address', 'agent', 'created', 'current', 'expires', 'id', 'lastUsed'].sort(),
    )
    const { id } = (await second.auth('/get-session')).body.session
    expect((await browser.auth('/revoke-session', { id })).body).toEqual({ revoked: 1 })
    expect(errorOf(await second.query(login))).toEqual(ENDED)
    expect((await third.query(login)).status).toBe(200)
    expect((await browser.auth('/revoke-other-sessions', {})).body).toEqual({ revoked: 1 })
    expect(errorOf(await third.query(login))).toEqual(ENDED)
    expect((await browser.query(login)).status).toBe(200)
  })

  it("does not end another user's sessions", async () => {
    const victim = await signedIn()
    const { id } = (await victim.auth('/get-session')).body.session
    const intruder = await signIn(app, await newPerson(app))
    const theirs = errorOf(await intruder.auth('/revoke-session', { id }))
    expect(theirs).toEqual([404, 'NOT_FOUND', undefined])
    expect(errorOf(await intruder.auth('/revoke-session', { id: 'made up' }))).toEqual(theirs)
    expect((await victim.query(login)).status).toBe(200)
  })

  it.each([
    ['GET', '/list-sessions'],
    ['POST', '/revoke-session'],
    ['POST', '/revoke-sessions'],
    ['POST', '/revoke-other-sessions'],
    ['POST', '/change-password'],
    ['POST', '/update-user'],
    ['POST', '/two-factor/enable'],
    ['POST', '/two-factor/disable'],
    ['POST', '/two-factor/generate-backup-codes'],
    ['GET', '/passkey/generate-register-options'],
    ['POST', '/passkey/verify-registration'],
    ['GET', '/passkey/list-user-passkeys'],
    ['POST', '/passkey/update-passkey'],
    ['POST', '/passkey/delete-passkey'],
  ])('rejects a request without a session: %s %s', async (method, path) => {
    const response = await openBrowser(app).send(`/auth${path}`, { method, ...(method === 'POST' && { body: {} }) })
    expect(errorOf(response)).toEqual([401, 'UNAUTHENTICATED', 'no-session'])
  })
})
