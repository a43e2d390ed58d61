import { createHash, generateKeyPairSync } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  type Browser,
  type BrowserResponse,
  errorOf,
  newPerson,
  openBrowser,
  type Person,
  signIn,
} from '../../../../test/clients/browser.ts'
import { addMember, newMember } from '../../../../test/factories/member.ts'
import { done } from '../../../../test/factories/team.ts'
import { sharedTestApp, type TestApp, type TestUser } from '../../../../test/harness/app.ts'

const PORT = 4_321

let other: TestApp
let account: TestUser
let person: Person
let browser: Browser
let now = Date.now()
const clock = () => new Date(now)
const app = sharedTestApp({ clock })
beforeAll(async () => {
  other = await app.startAnother({ clock })
})
beforeEach(async () => {
  now += 61_000
  account = await app.createUser()
  person = await newPerson(app)
  await addMember(app, { accountId: account.accountId, personId: person.id, roleId: 'viewer' })
  browser = await signIn(app, person)
})
afterAll(() => other.close())

interface Started {
  deviceCode: string
  userCode: string
  verificationUrl: string
}

const newPublicKey = (): string =>
  generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }).toString()

const send = (path: string, body: object, server: TestApp = app): Promise<BrowserResponse> =>
  openBrowser(server).send(`/auth/cli/${path}`, { body, headers: { 'muster-session': undefined, origin: undefined } })

async function start(more: object = {}): Promise<Started> {
  const { status, body } = await send('start', { publicKey: newPublicKey(), machine: 'laptop', ...more })
  expect(status).toBe(200)
  return body
}

async function poll({ deviceCode }: Started, code?: string, server?: TestApp): Promise<[number, unknown]> {
  now += 5_000
  const { status, body } = await send('poll', { deviceCode, code }, server)
  return [status, body]
}

const approve = (named: object, who = browser): Promise<BrowserResponse> =>
  who.auth('/cli/approve', { ...named, account: account.accountId })

const requestIn = ({ verificationUrl }: Started): { request: string } => ({ request: verificationUrl.split('#')[1]! })

interface ListedKey {
  key: string
  kind: string
  name: string
  expires: string
}

const inAccount = () => ({ headers: { 'muster-account': account.accountId } })

const keysOf = async (): Promise<ListedKey[]> =>
  (await browser.query('{ login { accessKeys { key kind name expires } } }', {}, inAccount())).body.data.login
    .accessKeys

describe('a sign-in with a typed code', () => {
  it('creates one personal key for 90 days, whichever of two servers is polled', async () => {
    const started = await start()
    expect(started).toMatchObject({
      userCode: expect.stringMatching(/^[A-Z]{8}$/),
      verificationUrl: `${app.url}/command-line`,
      expiresIn: 600,
      interval: 5,
    })
    expect(await poll(started)).toEqual([202, { status: 'pending' }])
    const code = `${started.userCode.slice(0, 4)}-${started.userCode.slice(4).toLowerCase()}`
    const { body } = await browser.auth('/cli/request', { code })
    expect(body.request).toMatchObject({ machine: 'laptop', address: '127.0.0.1' })
    const asViewer = {
      role: 'viewer',
      roleName: 'viewer',
      permissions: ['DEVICE_READ', 'EVENT_READ', 'KEY_OWN'],
      isRestricted: false,
    }
    expect(body.accounts).toContainEqual(expect.objectContaining({ id: account.accountId, ...asViewer }))
    expect((await approve({ code })).status).toBe(200)
    now += 5_000
    const answers = await Promise.all(
      [app, other].map((server) => send('poll', started, server).catch(() => undefined)),
    )
    // One of the two polls may arrive before the interval has passed, or while the other poll creates the key.
    const outcome = answers.find((answer) => answer?.status === 200)?.body ?? (await poll(started))[1]
    const [created, ...more] = await keysOf()
    expect(outcome).toEqual({ key: created!.key, account: account.accountId })
    expect(created).toMatchObject({ name: 'laptop', kind: 'personal' })
    expect(more).toEqual([])
    expect(Math.round((Date.parse(created!.expires) - now) / 86_400_000)).toBe(90)
    expect(await poll(started, undefined, other)).toEqual([200, outcome])
    expect(await keysOf()).toHaveLength(1)
  })

  it('shows the name and permissions of a custom role, and whether the role is restricted', async () => {
    const owner = await newMember(app, account.accountId, 'owner')
    const access = '{ permissions: [DEVICE_READ], where: "name:gate" }'
    const { createRole } = await done(owner, `mutation { createRole(name: "Night shift", access: ${access}) { id } }`)
    const member = await newMember(app, account.accountId, createRole.id)
    const { body } = await (await signIn(app, member)).auth('/cli/request', { code: (await start()).userCode })
    expect(body.accounts).toContainEqual(
      expect.objectContaining({ roleName: 'Night shift', permissions: ['DEVICE_READ'], isRestricted: true }),
    )
  })

  it('is rejected with a wrong code, which counts as an attempt to sign in', async () => {
    expect(errorOf(await browser.auth('/cli/request', { code: 'short' }))).toEqual([400, 'BAD_USER_INPUT', undefined])
    for (let attempt = 0; attempt < 10; attempt++)
      expect((await browser.auth('/cli/request', { code: 'BCDFGHJK' })).status).toBe(404)
    expect((await browser.auth('/cli/request', { code: 'BCDFGHJK' })).status).toBe(429)
  })

  it('cannot be approved with its device code or a link', async () => {
    const started = await start()
    const { status } = await approve({ request: started.deviceCode })
    expect(status).toBe(400)
    const id = createHash('sha256').update(started.deviceCode).digest('hex')
    expect((await approve({ request: id })).status).toBe(404)
  })
})

describe('a sign-in whose browser returns to the machine', () => {
  it('stays pending until the machine has the code from the browser', async () => {
    const started = await start({ port: PORT })
    expect(started.verificationUrl).not.toContain(started.userCode)
    expect(started.verificationUrl).not.toContain(started.deviceCode)
    expect((await browser.auth('/cli/request', { code: started.userCode })).status).toBe(404)
    const { body } = await approve(requestIn(started))
    const redirect = new URL(body.redirect)
    expect(redirect.origin).toBe(`http://127.0.0.1:${PORT}`)
    expect(await poll(started)).toEqual([202, { status: 'pending' }])
    expect(await poll(started, 'another code')).toEqual([202, { status: 'pending' }])
    expect(await keysOf()).toEqual([])
    const [status] = await poll(started, redirect.searchParams.get('code')!)
    expect(status).toBe(200)
    expect(await keysOf()).toHaveLength(1)
  })

  it('stays pending until it expires if the machine never receives the code', async () => {
    const started = await start({ port: PORT })
    await approve(requestIn(started))
    for (let count = 0; count < 3; count++) expect((await poll(started))[0]).toBe(202)
    now += 600_000
    expect(await poll(started)).toEqual([410, { status: 'expired' }])
    expect(await keysOf()).toEqual([])
  })
})

it('rejects the approval of a sign-in that the person has denied', async () => {
  const started = await start({ port: PORT })
  const { body } = await browser.auth('/cli/deny', requestIn(started))
  expect(body).toEqual({ redirect: `http://127.0.0.1:${PORT}/?error=denied` })
  expect((await approve(requestIn(started))).status).toBe(404)
  expect(await poll(started)).toEqual([410, { status: 'denied' }])
})

it('rejects a poll less than five seconds after the previous one', async () => {
  const started = await start()
  expect((await poll(started))[0]).toBe(202)
  now += 4_000
  const { status, headers } = await send('poll', { deviceCode: started.deviceCode })
  expect([status, headers.get('retry-after')]).toEqual([429, '5'])
  expect(await send('poll', { deviceCode: 'unknown' })).toMatchObject({ status: 410, body: { status: 'expired' } })
})

it('requires a session, a recent sign-in, and a membership to approve a sign-in', async () => {
  const started = await start()
  const named = { code: started.userCode }
  expect(errorOf(await approve(named, openBrowser(app)))).toEqual([401, 'UNAUTHENTICATED', 'no-session'])
  const stranger = await signIn(app, await newPerson(app))
  expect(errorOf(await approve(named, stranger))).toEqual([403, 'FORBIDDEN', 'not-a-member'])
  const created = new Date(now - 7_200_000)
  await app.db.updateTable('session').set({ created }).where('account_id', '=', person.id).execute()
  const again = { code: (await start()).userCode }
  expect(errorOf(await approve(again))).toEqual([403, 'FORBIDDEN', 'sign-in-too-old'])
})

it("applies the key policy's maximum lifetime, and rejects an approval if the policy forbids personal keys", async () => {
  await app.db
    .updateTable('account')
    .set({ key_policy: JSON.stringify({ maxDays: 7, requireDigest: true }) })
    .where('id', '=', account.accountId)
    .execute()
  const started = await start()
  const { status, body } = await approve({ code: started.userCode })
  expect([status, body]).toEqual([200, expect.anything()])
  expect(Math.round((Date.parse(body.expires) - now) / 86_400_000)).toBe(7)
  expect((await poll(started))[0]).toBe(200)
  await app.db
    .updateTable('account')
    .set({ key_policy: JSON.stringify({ personalKeys: false }) })
    .where('id', '=', account.accountId)
    .execute()
  expect(errorOf(await approve({ code: (await start()).userCode }))[1]).toBe('BAD_USER_INPUT')
})

it.each([
  [{ publicKey: 'x' }, 'publicKey'],
  [{ port: 0 }, 'port'],
  [{ machine: '' }, 'machine'],
])('rejects %j', async (wrong, name) => {
  const publicKey = newPublicKey()
  const { status, body } = await send('start', { publicKey, machine: 'laptop', ...wrong })
  expect([status, body.errors[0].message]).toEqual([400, expect.stringContaining(name)])
})
