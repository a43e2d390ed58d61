import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  type Browser,
  errorOf,
  newPerson,
  openBrowser,
  signIn,
  signInMethods,
} from '../../../../test/clients/browser.ts'
import { startTestApp, type TestApp } from '../../../../test/harness/app.ts'
import { type ForgingProvider, startForgingProvider } from '../../../../test/single-sign-on/forging-provider.ts'
import {
  failureOf,
  navigate,
  PUBLIC_URL,
  personIn,
  reasonIn,
  signOn,
  ssoSettings,
  startSignOn,
} from '../../../../test/single-sign-on/sign-on.ts'

const HOUR_MS = 3_600_000

let provider: ForgingProvider
let app: TestApp
let other: TestApp
let now = Date.now()
const clock = () => new Date(now)
beforeAll(async () => {
  provider = await startForgingProvider()
  const env = { ...ssoSettings(provider.issuer), MUSTER_OIDC_SIGN_UP: 'anyone' }
  app = await startTestApp({ env, clock })
  other = await app.startAnother({ env, clock })
})
beforeEach(() => {
  now += 61_000
})
afterAll(async () => {
  await other.close()
  await app.close()
  await provider.close()
})

const newClaims = () => ({ sub: randomUUID() })

describe('the start of single sign-on', () => {
  it('redirects to the provider with PKCE, state, and nonce, and sets a cookie for /auth/sso', async () => {
    const browser = openBrowser(app)
    const response = await navigate(browser, '/auth/sso/start?to=/devices')
    const url = new URL(response.headers.get('location')!)
    expect([response.status, url.origin, url.pathname]).toEqual([302, provider.issuer, '/authorize'])
    expect(Object.fromEntries(url.searchParams)).toEqual({
      client_id: 'muster',
      response_type: 'code',
      redirect_uri: `${PUBLIC_URL}/auth/sso/callback`,
      scope: 'openid profile email',
      code_challenge_method: 'S256',
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
    })
    expect(response.setCookies).toEqual([
      expect.stringMatching(/^muster\.sso=[\w-]{43}; Max-Age=86400; Path=\/auth\/sso; HttpOnly; SameSite=Lax$/),
    ])
    expect(response.headers.get('cache-control')).toBe('no-store')
  })

  it.each([
    ['/devices?sort=name#top', '/devices?sort=name#top'],
    ['//evil.example', '/'],
    ['/\\evil.example', '/'],
    ['\\/evil.example', '/'],
    ['/\t/evil.example', '/'],
    ['/.//evil.example', '/'],
    ['https://evil.example', '/'],
    ['https:evil.example', '/'],
    ['javascript:alert(1)', '/'],
    ['', '/'],
  ])('with to=%j redirects to %s after the sign-in', async (to, expected) => {
    const query = new URLSearchParams({ to }).toString()
    const attempt = await startSignOn(app, provider, { claims: newClaims(), query })
    const { status, headers } = await attempt.finish()
    expect([status, headers.get('location')]).toEqual([303, expected])
  })
})

describe('a session from single sign-on', () => {
  it('ends after twelve hours even if it is used, and records the sign-in', async () => {
    const browser = await signOn(app, provider, { claims: newClaims() })
    expect(await signInMethods(browser)).toEqual(['single sign-on'])
    for (let hour = 0; hour < 11; hour++) {
      now += HOUR_MS
      expect(await personIn(browser)).not.toBeNull()
    }
    now += HOUR_MS
    expect(await personIn(browser)).toBeNull()
  })

  it('stores neither a token nor the state in plain text', async () => {
    const attempt = await startSignOn(app, provider, { claims: newClaims() })
    const attempts = await app.db.selectFrom('sso_attempt').selectAll().execute()
    expect(JSON.stringify(attempts)).not.toContain(attempt.response.state)
    await attempt.finish()
    const stored = await app.db.selectFrom('sso_session').selectAll().execute()
    for (const { encrypted_id_token } of stored) expect(encrypted_id_token?.toString('latin1')).not.toContain('eyJ')
  })

  it('ends with a sign-out, which returns the address that ends the session at the provider', async () => {
    const browser = await signOn(app, provider, { claims: newClaims() })
    const { body } = await browser.auth('/sign-out', {})
    const redirect = new URL(body.redirect)
    expect(redirect.origin + redirect.pathname).toBe(`${provider.issuer}/end`)
    expect(redirect.searchParams.get('id_token_hint')).toMatch(/^eyJ/)
    expect(redirect.searchParams.get('post_logout_redirect_uri')).toBe(`${PUBLIC_URL}/sign-in`)
    expect(await personIn(browser)).toBeNull()
    const password = await signIn(app, await newPerson(app))
    expect((await password.auth('/sign-out', {})).body).toEqual({ signedIn: false })
  })

  it.each([
    ['/change-password', { currentPassword: 'x', newPassword: 'a new long password' }],
    ['/two-factor/enable', { password: 'x' }],
    ['/two-factor/disable', { password: 'x' }],
    ['/two-factor/verify-totp', { code: '123456' }],
  ])('cannot start a session that outlasts it with %s', async (path, body) => {
    const browser = await signOn(app, provider, { claims: newClaims() })
    expect(errorOf(await browser.auth(path, body))).toEqual([403, 'FORBIDDEN', undefined])
  })
})

describe('back-channel logout', () => {
  const send = async (token: string, server = other): Promise<number> => {
    const body = new URLSearchParams({ logout_token: token })
    return (await fetch(`${server.url}/auth/sso/backchannel-logout`, { method: 'POST', body })).status
  }

  it('ends the sessions of a sid, or of a subject, on another server', async () => {
    const { sub } = newClaims()
    const first = await signOn(app, provider, { claims: { sub, sid: `${sub}-1` } })
    const second = await signOn(app, provider, { claims: { sub, sid: `${sub}-2` } })
    const stranger = await signOn(app, provider, { claims: newClaims() })
    const token = await provider.signLogoutToken({ sid: `${sub}-1` })
    expect(await send(token)).toBe(200)
    expect([await personIn(first), (await personIn(second)) !== null]).toEqual([null, true])
    expect(await send(token)).toBe(400)
    expect(await send(await provider.signLogoutToken({ sub }))).toBe(200)
    expect(await personIn(second)).toBeNull()
    expect(await personIn(stranger)).not.toBeNull()
    const again = await signOn(app, provider, { claims: { sub } })
    const { body } = await again.query('{ login { events(types: [SESSION_REVOKE]) { items { data actor { id } } } } }')
    expect(body.data.login.events.items).toEqual([
      { data: { sessions: 1, provider: true }, actor: null },
      { data: { sessions: 1, provider: true }, actor: null },
    ])
  })

  it('ends the event streams of a session', async () => {
    const { sub } = newClaims()
    const browser = await signOn(app, provider, { claims: { sub } })
    const stream = await fetch(`${app.url}/graphql/v1/stream`, {
      method: 'POST',
      headers: {
        ...{ cookie: browser.cookieHeader(), 'muster-session': '1', origin: app.url },
        ...{ 'content-type': 'application/json', accept: 'text/event-stream' },
      },
      body: JSON.stringify({ query: 'subscription { events { id } }' }),
    })
    expect(stream.status).toBe(200)
    expect(await send(await provider.signLogoutToken({ sub }))).toBe(200)
    expect(await stream.text()).toContain('session-ended')
  })

  it('asks the provider to retry while its keys cannot be read', async () => {
    const { sub } = newClaims()
    const browser = await signOn(app, provider, { claims: { sub } })
    const token = await provider.signLogoutToken({ sub })
    const restarted = await app.startAnother({ env: { ...ssoSettings(provider.issuer) }, clock })
    provider.setKeysStatus(500)
    expect(await send(token, restarted)).toBe(503)
    expect(await personIn(browser)).not.toBeNull()
    provider.setKeysStatus(200)
    expect(await send(token, restarted)).toBe(200)
    expect(await personIn(browser)).toBeNull()
    await restarted.close()
  })

  it('accepts the token again if the sessions could not be ended', async () => {
    const { sub } = newClaims()
    const browser = await signOn(app, provider, { claims: { sub } })
    const token = await provider.signLogoutToken({ sub })
    await app.db.transaction().execute(async (transaction) => {
      await sql`select from session where account_id in (select person_id from person_identity where subject = ${sub})
                for update`.execute(transaction)
      const failing = send(token)
      await vi.waitFor(async () => {
        const { rows } = await sql`
          select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`.execute(app.db)
        expect(rows).toHaveLength(1)
      }, 10_000)
      expect(await failing).toBe(503)
    })
    expect(await personIn(browser)).not.toBeNull()
    expect(await send(token)).toBe(200)
    expect(await personIn(browser)).toBeNull()
    expect(await send(token)).toBe(400)
  })

  const wrong: Record<string, (sub: string) => Promise<string>> = {
    'a nonce': (sub) => provider.signLogoutToken({ sub, nonce: 'x' }),
    'another audience': (sub) => provider.signLogoutToken({ sub, aud: 'another' }),
    'another issuer': (sub) => provider.signLogoutToken({ sub, iss: 'https://evil.example' }),
    'no session and no subject': () => provider.signLogoutToken({}),
    'no event': (sub) => provider.signLogoutToken({ sub, events: {} }),
    'no ID': (sub) => provider.signLogoutToken({ sub, jti: undefined as unknown as string }),
    'an old issue time': (sub) => provider.signLogoutToken({ sub, iat: 1_700_000_000 }),
    'no signature': (sub) => provider.signLogoutToken({ sub }, { sign: 'none' }),
    'a signature with the client secret': (sub) => provider.signLogoutToken({ sub }, { sign: 'shared' }),
    'a signature by a key of another provider': (sub) => provider.signLogoutToken({ sub }, { sign: 'stranger' }),
    'an invalid format': async () => 'no token',
  }
  it.each(Object.keys(wrong))('rejects a token with %s', async (name) => {
    const { sub } = newClaims()
    const browser = await signOn(app, provider, { claims: { sub } })
    expect(await send(await wrong[name]!(sub))).toBe(400)
    expect(await personIn(browser)).not.toBeNull()
  })
})

describe('the settings of single sign-on', () => {
  const start = (env: Record<string, string>): Promise<TestApp> => app.startAnother({ env, clock })

  it('reject passwords and passkeys if only single sign-on is allowed', async () => {
    const server = await start({
      ...ssoSettings(provider.issuer),
      MUSTER_SIGN_IN: 'sso',
      MUSTER_OIDC_SIGN_UP: 'anyone',
    })
    const person = await newPerson(app)
    const browser: Browser = openBrowser(server)
    const only = [401, 'UNAUTHENTICATED', 'sso-only']
    expect(errorOf(await browser.auth('/sign-in/email', { email: person.email, password: person.password }))).toEqual(
      only,
    )
    expect(errorOf(await browser.auth('/passkey/verify-authentication', { response: {} }))).toEqual(only)
    expect(errorOf(await browser.auth('/two-factor/verify-totp', { code: '123456' }))).toEqual(only)
    expect(errorOf(await browser.auth('/accept-invitation', { token: 'x', password: 'x' }))).toEqual(only)
    expect((await browser.auth('/sign-in-options')).body).toEqual({
      password: false,
      singleSignOn: { name: new URL(provider.issuer).host },
    })
    expect(await personIn(await signOn(server, provider, { claims: newClaims() }))).not.toBeNull()
    await server.close()
  })

  it('must be complete, and require an HTTPS address for the provider unless its host is a loopback host', async () => {
    await expect(start({ MUSTER_SIGN_IN: 'sso' })).rejects.toThrow('MUSTER_OIDC_ISSUER')
    const { MUSTER_PUBLIC_URL: _url, ...settings } = ssoSettings(provider.issuer)
    await expect(start(settings)).rejects.toThrow('MUSTER_PUBLIC_URL')
    await expect(start({ ...ssoSettings('http://login.example.com') })).rejects.toThrow('MUSTER_OIDC_ISSUER')
  })

  it('limit the addresses that the server connects to', async () => {
    const server = await start({ ...ssoSettings(provider.issuer), MUSTER_OIDC_ALLOW: '' })
    expect(reasonIn(await navigate(openBrowser(server), '/auth/sso/start'))).toBe('sso-unavailable')
    await server.close()
  })
})

describe('a provider that the server cannot reach', () => {
  it('does not affect sign-in by password', async () => {
    const server = await app.startAnother({ env: ssoSettings('http://127.0.0.1:1'), clock })
    expect(reasonIn(await navigate(openBrowser(server), '/auth/sso/start'))).toBe('sso-unavailable')
    expect(await personIn(await signIn(server, await newPerson(app)))).not.toBeNull()
    await server.close()
  })

  it('is reported as unavailable, even if it fails while the server exchanges the code', async () => {
    const tokenResponse = (response: { destroy(): void }) => void response.destroy()
    expect(await failureOf(app, provider, { claims: newClaims(), forgery: { tokenResponse } })).toBe('sso-unavailable')
  })
})

describe('a server without single sign-on', () => {
  it('does not offer single sign-on', async () => {
    const server = await app.startAnother()
    const browser = openBrowser(server)
    expect((await browser.auth('/sign-in-options')).body).toEqual({ password: true, singleSignOn: null })
    expect(reasonIn(await navigate(browser, '/auth/sso/start'))).toBe('sso-unavailable')
    expect(reasonIn(await navigate(browser, '/auth/sso/callback?code=x&state=y'))).toBe('sso-unavailable')
    const body = new URLSearchParams({ logout_token: 'x' })
    expect((await fetch(`${server.url}/auth/sso/backchannel-logout`, { method: 'POST', body })).status).toBe(501)
    await server.close()
  })
})
