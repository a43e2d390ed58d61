import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Browser, newPerson, type Person, signIn } from '../../../../test/clients/browser.ts'
import { statActivity } from '../../../../test/cluster/cluster-databases.ts'
import { startTestApp, type TestApp } from '../../../../test/harness/app.ts'
import { type ForgingProvider, startForgingProvider } from '../../../../test/single-sign-on/forging-provider.ts'
import {
  failureOf,
  personIn,
  reasonIn,
  signOn,
  ssoSettings,
  startLink,
  startSignOn,
} from '../../../../test/single-sign-on/sign-on.ts'
import { resetPassword } from '../../../auth/sessions/passwords/operator-password-reset.ts'
import type { Database } from '../../../db/database.ts'
import { disableUser, enableUser } from '../user-administration.ts'

let provider: ForgingProvider
let app: TestApp
let person: Person
let browser: Browser
let now = Date.now()
beforeAll(async () => {
  provider = await startForgingProvider()
  app = await startTestApp({ env: ssoSettings(provider.issuer), clock: () => new Date(now) })
})
beforeEach(async () => {
  now += 61_000
  person = await newPerson(app)
  browser = await signIn(app, person)
})
afterAll(async () => {
  await app.close()
  await provider.close()
})

const resetIn = (transaction: Database, { passwordOnly = false } = {}) =>
  resetPassword(transaction, { email: person.email, passwordOnly })

const reset = (options?: { passwordOnly: boolean }) =>
  app.db.transaction().execute((transaction) => resetIn(transaction, options))

const newClaims = () => ({ sub: randomUUID(), email: 'another@example.com' })

describe('a session that links an identity', () => {
  it('requires a sign-in within the last hour', async () => {
    now += 2 * 3_600_000
    const { status, body } = await browser.auth('/sso/link', {})
    expect([status, body.errors[0].extensions.reason]).toEqual([403, 'sign-in-too-old'])
    now -= 2 * 3_600_000
  })

  const endings: Record<string, (session: string) => Promise<unknown>> = {
    'the user changes the password': () =>
      browser.auth('/change-password', { currentPassword: person.password, newPassword: randomUUID() }),
    'the user ends all other sessions': () => browser.auth('/revoke-other-sessions', {}),
    'the user ends the session': (id) => browser.auth('/revoke-session', { id }),
    'an operator resets the password': () => reset(),
    'an operator disables and enables the user': async () => {
      await disableUser(app.db, person.email, new Date(now))
      await enableUser(app.db, person.email)
    },
  }
  it.each(Object.keys(endings))('cannot complete the link after %s', async (name) => {
    const other = await signIn(app, person)
    const { session } = (await other.auth('/get-session')).body
    const claims = newClaims()
    const finish = await startLink(other, provider, claims)
    await endings[name]!(session.id)
    expect(reasonIn(await finish())).toBe('sso-expired')
    expect(await personIn(other)).toBeNull()
    expect(await failureOf(app, provider, { claims })).toBe('sso-not-invited')
  })

  it('cannot complete the link if the sessions end while the server waits for the provider', async () => {
    const claims = newClaims()
    const finish = await startLink(browser, provider, claims, { beforeToken: () => reset() })
    expect(reasonIn(await finish())).toBe('sso-expired')
    expect(await failureOf(app, provider, { claims })).toBe('sso-not-invited')
  })
})

describe('a signed-in person', () => {
  it('can link an identity and then sign in with it', async () => {
    const claims = newClaims()
    expect((await browser.auth('/get-session')).body).toMatchObject({ password: true, singleSignOn: false })
    const finish = await startLink(browser, provider, claims)
    const response = await finish()
    expect((await browser.auth('/get-session')).body).toMatchObject({ password: true, singleSignOn: true })
    expect([response.status, response.headers.get('location')]).toEqual([303, '/account/security'])
    const signedOn = await signOn(app, provider, { claims })
    expect(await personIn(signedOn)).toMatchObject({ id: person.id, email: person.email })
    const other = await signIn(app, await newPerson(app))
    const finishOther = await startLink(other, provider, claims)
    expect(reasonIn(await finishOther())).toBe('sso-link-required')
  })
})

describe('a linked identity', () => {
  let claims: { sub: string; email: string; email_verified: boolean }
  const signOnAgain = async () => personIn(await signOn(app, provider, { claims }))
  beforeEach(async () => {
    claims = { ...newClaims(), email_verified: true }
    const finish = await startLink(browser, provider, claims)
    await finish()
  })

  it('continues to work after a password reset, unless the reset removes it', async () => {
    expect(await reset()).toMatchObject({ user: { identities: 1 }, removed: { identities: 0 } })
    expect(await signOnAgain()).toMatchObject({ id: person.id })
    const given = await reset({ passwordOnly: true })
    expect(given).toMatchObject({ user: { identities: 0 }, removed: { identities: 1 } })
    expect(await failureOf(app, provider, { claims })).toBe('sso-not-invited')

    const fresh = await signIn(app, { ...person, password: given.password })
    expect((await fresh.auth('/get-session')).body).toMatchObject({ singleSignOn: false })
    const finish = await startLink(fresh, provider, claims)
    await finish()
    expect(await signOnAgain()).toMatchObject({ id: person.id })
  })

  it("is linked again after a reset if the provider confirms the person's address", async () => {
    await reset({ passwordOnly: true })
    claims.email = person.email
    expect(await failureOf(app, provider, { claims: { ...claims, email_verified: false } })).toBe('sso-link-required')
    expect(await signOnAgain()).toMatchObject({ id: person.id })
  })

  it('continues to work if the identities of another person are removed', async () => {
    const other = await newPerson(app)
    const options = { email: other.email, passwordOnly: true }
    const given = await app.db.transaction().execute((transaction) => resetPassword(transaction, options))
    expect(given.removed).toMatchObject({ identities: 0 })
    expect(await signOnAgain()).toMatchObject({ id: person.id })
  })

  const steps: [string, (transaction: Database) => Promise<unknown>, string][] = [
    ['finds the person', (transaction) => resetIn(transaction, { passwordOnly: true }), 'sso-not-invited'],
    ['starts the session', (transaction) => sql`lock table session in share mode`.execute(transaction), 'sso-expired'],
  ]
  it.each(steps)('does not work if a reset removes it before the server %s', async (_, begin, reason) => {
    const attempt = await startSignOn(app, provider, { claims })
    const running = await app.db.transaction().execute(async (transaction) => {
      await begin(transaction)
      const response = attempt.finish()
      await vi.waitFor(async () => expect(await countWaiting()).toBe(1), { timeout: 60_000 })
      await resetIn(transaction, { passwordOnly: true })
      return { response }
    })
    expect(reasonIn(await running.response)).toBe(reason)
    expect(await personIn(attempt.browser)).toBeNull()
  })

  async function countWaiting(): Promise<number> {
    const { rows } = await sql<{ count: number }>`select count(*)::int as count from ${sql.table(statActivity)}
      where datname = current_database() and wait_event_type = 'Lock'`.execute(app.db)
    return rows[0]!.count
  }
})
