import { beforeEach, describe, expect, it } from 'vitest'
import { type Browser, newPerson, openBrowser, type Person, signIn } from '../../../../test/clients/browser.ts'
import { codeOf, wrongCodeOf } from '../../../../test/clients/totp.ts'
import { sharedTestApp } from '../../../../test/harness/app.ts'
import { disableUser, enableUser } from '../../../features/users/user-administration.ts'

const from = { address: '127.0.0.1', agent: 'Test Browser' }

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

interface AuditEvent {
  type: string
  actor: { id: string } | null
  target: { id: string; name: string; kind: string }[]
  data: Record<string, unknown>
}

async function audited(of: Browser = browser): Promise<AuditEvent[]> {
  const { body } = await of.query('{ login { events { items { type actor { id } target { id name kind } data } } } }')
  return body.data.login.events.items.filter(({ type }: AuditEvent) => type !== 'AUTH_LOGIN').reverse()
}

const entries = async (of?: Browser): Promise<unknown[]> => (await audited(of)).map(({ type, data }) => [type, data])

/** Waits for the entries, because the server records failures after the response. */
const untilEntries = (expected: unknown[]): Promise<void> =>
  expect.poll(() => entries(), { timeout: 20_000 }).toEqual(expected)

const failed = (method: string, reason: string, count: number): unknown[] => [
  'AUTH_FAIL',
  { ...from, method, reason, count },
]

describe('failed sign-ins', () => {
  const guess = (email: string) => openBrowser(app).auth('/sign-in/email', { email, password: 'wrong' })

  it('are recorded as events without an actor', async () => {
    await guess(person.email)
    await untilEntries([failed('password', 'wrong-password', 1)])
    const [event] = await audited()
    expect(event).toMatchObject({ actor: null, target: [{ id: person.id, name: person.email, kind: 'user' }] })
  })

  it('are recorded only at the first, second, fourth, and eighth of twelve attempts in a minute', async () => {
    for (let time = 0; time < 12; time++) {
      await guess(person.email)
      const recorded = [1, 2, 4, 8].filter((count) => count <= time + 1)
      await untilEntries(recorded.map((count) => failed('password', 'wrong-password', count)))
    }
    now += 61_000
    await guess(person.email)
    await expect.poll(async () => (await entries()).length, { timeout: 20_000 }).toBe(5)
  })

  it('are not recorded for an unknown email address', async () => {
    await guess(`unknown-${person.email}`)
    await guess(person.email)
    await untilEntries([failed('password', 'wrong-password', 1)])
  })

  it('are recorded for a wrong code and for a wrong current password', async () => {
    const { totpURI } = (await browser.auth('/two-factor/enable', { password: person.password })).body
    await browser.auth('/two-factor/verify-totp', { code: codeOf(totpURI) })
    const other = openBrowser(app)
    await other.auth('/sign-in/email', { email: person.email, password: person.password })
    expect((await other.auth('/two-factor/verify-totp', { code: wrongCodeOf(totpURI) })).status).toBe(401)
    const afterCode = [['AUTHENTICATOR_ADD', from], failed('password and code', 'wrong-code', 1)]
    await untilEntries(afterCode)
    await browser.auth('/two-factor/disable', { password: 'wrong' })
    await untilEntries([...afterCode, failed('current password', 'wrong-password', 2)])
  })

  it('are recorded for a disabled user', async () => {
    await disableUser(app.db, person.email, new Date(now))
    const { email, password } = person
    expect((await openBrowser(app).auth('/sign-in/email', { email, password })).status).toBe(401)
    await enableUser(app.db, email)
    const again = await signIn(app, person)
    await expect
      .poll(async () => (await entries(again)).toSorted(), { timeout: 20_000 })
      .toEqual([failed('password', 'user-disabled', 1), ['USER_DISABLE', { sessions: 1 }], ['USER_ENABLE', {}]])
  })
})

describe('changes to how a user signs in', () => {
  it('are recorded as events of the user who made the change', async () => {
    const newPassword = 'correct horse battery staple'
    await browser.auth('/change-password', { currentPassword: person.password, newPassword })
    const { totpURI } = (await browser.auth('/two-factor/enable', { password: newPassword })).body
    expect(await entries()).toEqual([['PASSWORD_CHANGE', from]])
    await browser.auth('/two-factor/verify-totp', { code: codeOf(totpURI) })
    await browser.auth('/two-factor/generate-backup-codes', { password: newPassword })
    await browser.auth('/two-factor/disable', { password: newPassword })
    const events = await audited()
    expect(events.map(({ type, data }) => [type, data])).toEqual([
      ['PASSWORD_CHANGE', from],
      ['AUTHENTICATOR_ADD', from],
      ['AUTHENTICATOR_UPDATE', { ...from, backupCodes: true }],
      ['AUTHENTICATOR_REMOVE', from],
    ])
    expect(events.map(({ actor }) => actor?.id)).toEqual(events.map(() => person.id))
    expect(JSON.stringify(events)).not.toContain(newPassword)
  })

  it('include revoked sessions, if the change revoked any', async () => {
    await browser.auth('/revoke-other-sessions', {})
    await signIn(app, person)
    await signIn(app, person)
    await browser.auth('/revoke-other-sessions', {})
    const other = await signIn(app, person)
    const { sessions } = (await other.auth('/list-sessions')).body
    const { id } = sessions.find(({ current }: { current: boolean }) => !current)
    await other.auth('/revoke-session', { id })
    const again = await signIn(app, person)
    expect(await entries(again)).toEqual([
      ['SESSION_REVOKE', { ...from, sessions: 2 }],
      ['SESSION_REVOKE', { ...from, sessions: 1 }],
    ])
  })
})
