import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Browser, newPerson, type Person, signIn } from '../../../../test/clients/browser.ts'
import { startTestApp, type TestApp } from '../../../../test/harness/app.ts'
import { type ForgingProvider, startForgingProvider } from '../../../../test/single-sign-on/forging-provider.ts'
import {
  failureOf,
  personIn,
  reasonIn,
  signOn,
  ssoSettings,
  startLink,
} from '../../../../test/single-sign-on/sign-on.ts'
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
