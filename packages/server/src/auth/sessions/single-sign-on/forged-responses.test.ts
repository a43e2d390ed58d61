import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { openBrowser } from '../../../../test/clients/browser.ts'
import { startTestApp, type TestApp } from '../../../../test/harness/app.ts'
import {
  type Forgery,
  type ForgingProvider,
  startForgingProvider,
} from '../../../../test/single-sign-on/forging-provider.ts'
import {
  navigate,
  personIn,
  reasonIn,
  type SignOn,
  ssoSettings,
  startSignOn,
} from '../../../../test/single-sign-on/sign-on.ts'

let provider: ForgingProvider
let other: ForgingProvider
let app: TestApp
let now = Date.now()
beforeAll(async () => {
  ;[provider, other] = await Promise.all([startForgingProvider(), startForgingProvider()])
  const env = { ...ssoSettings(provider.issuer), MUSTER_OIDC_SIGN_UP: 'anyone' }
  app = await startTestApp({ env, clock: () => new Date(now) })
})
// The server counts attempts per minute, so each test runs in a separate minute.
beforeEach(() => {
  now += 61_000
})
afterAll(async () => {
  await app.close()
  await Promise.all([provider.close(), other.close()])
})

const start = (forgery?: Forgery): Promise<SignOn> =>
  startSignOn(app, provider, { claims: { sub: 'ada', email_verified: true }, ...(forgery && { forgery }) })

const seconds = (): number => Math.floor(Date.now() / 1_000)

const forgeries: Record<string, Forgery> = {
  'no nonce': { claims: ({ nonce: _nonce, ...claims }) => claims },
  'the nonce of another attempt': { claims: (claims) => ({ ...claims, nonce: 'x'.repeat(43) }) },
  'another audience': { claims: (claims) => ({ ...claims, aud: 'another-client' }) },
  'no audience': { claims: ({ aud: _aud, ...claims }) => claims },
  'several audiences and another authorized party': {
    claims: (claims) => ({ ...claims, aud: ['muster', 'other'], azp: 'other' }),
  },
  'another issuer': { claims: (claims) => ({ ...claims, iss: 'https://evil.example' }) },
  'no subject': { claims: ({ sub: _sub, ...claims }) => claims },
  'an expired token': { claims: (claims) => ({ ...claims, iat: seconds() - 7_200, exp: seconds() - 3_600 }) },
  'a token that is not valid yet': { claims: (claims) => ({ ...claims, nbf: seconds() + 3_600 }) },
  'no expiry': { claims: ({ exp: _exp, ...claims }) => claims },
  'the algorithm none': { sign: 'none' },
  'a signature with the client secret': { sign: 'shared' },
  'a signature by a key of another provider': { sign: 'stranger' },
  'a key ID that the provider does not have': { sign: 'stranger', header: { kid: 'unknown' } },
  'another algorithm': { sign: 'RS512' },
  'changed claims': {
    idToken: (token) => {
      const [header, , signature] = token.split('.')
      const claims = { iss: provider.issuer, aud: 'muster', sub: 'eve', exp: seconds() + 300, iat: seconds() }
      return [header, Buffer.from(JSON.stringify(claims)).toString('base64url'), signature].join('.')
    },
  },
  'a damaged signature': { idToken: (token) => `${token.slice(0, -6)}AAAAAA` },
  'no signature': { idToken: (token) => `${token.split('.').slice(0, 2).join('.')}.` },
  'no ID token': { idToken: () => undefined },
  'a token response that is not JSON': { tokenResponse: (response) => void response.end('<html>') },
  'a redirect from the token endpoint': {
    tokenResponse: (response) => void response.writeHead(307, { location: `${provider.issuer}/token` }).end(),
  },
}

type Send = (attempt: SignOn) => ReturnType<SignOn['finish']>

const responses: Record<string, { send: Send; reason?: string }> = {
  'another state': {
    send: ({ finish, response }) => finish({ ...response, state: 'x'.repeat(43) }),
    reason: 'sso-expired',
  },
  'no state': { send: ({ finish, response }) => finish({ ...response, state: undefined }) },
  'the state of another attempt': {
    send: async ({ finish, response }) => finish({ ...response, state: (await start()).response.state! }),
    reason: 'sso-expired',
  },
  'another code': { send: ({ finish, response }) => finish({ ...response, code: 'guessed' }) },
  'no code': { send: ({ finish, response }) => finish({ ...response, code: undefined }) },
  'another issuer in the response': { send: ({ finish, response }) => finish({ ...response, iss: other.issuer }) },
  'no issuer in the response': { send: ({ finish, response }) => finish({ ...response, iss: undefined }) },
  'both an error and a code': { send: ({ finish, response }) => finish({ ...response, error: 'server_error' }) },
  'a response in the form of a JWT': { send: ({ finish, response }) => finish({ ...response, response: 'x.y.z' }) },
  'the cookie of another browser': {
    send: async ({ finish, response }) => finish(response, (await start()).browser),
    reason: 'sso-expired',
  },
  'no cookie': { send: ({ finish, response }) => finish(response, openBrowser(app)) },
  'a code from another provider': {
    send: ({ finish, response, authorizationUrl }) =>
      finish({ ...response, code: other.issueCode(authorizationUrl, { sub: 'eve' }), iss: other.issuer }),
  },
}

describe('single sign-on', () => {
  it('signs in with a correct response, so that each forgery below fails for its own reason', async () => {
    const attempt = await start()
    expect(reasonIn(await attempt.finish())).toBeUndefined()
    expect(await personIn(attempt.browser)).toMatchObject({ email: 'ada@example.com' })
    expect(provider.tokenRequests.at(-1)?.get('code_verifier')).toMatch(/^[\w-]{43}$/)
  })

  it.each(Object.keys(forgeries))('rejects a sign-in with %s', async (name) => {
    const attempt = await start(forgeries[name])
    expect(reasonIn(await attempt.finish())).toBe('sso-failed')
    expect(await personIn(attempt.browser)).toBeNull()
  })

  it.each(Object.keys(responses))('rejects a response with %s', async (name) => {
    const attempt = await start()
    const { send, reason = 'sso-failed' } = responses[name]!
    expect(reasonIn(await send(attempt))).toBe(reason)
    expect(await personIn(attempt.browser)).toBeNull()
  })

  it('accepts a response only once', async () => {
    const attempt = await start()
    const replay = openBrowser(app)
    for (const [cookie, value] of attempt.browser.cookies) replay.cookies.set(cookie, value)
    expect(reasonIn(await attempt.finish())).toBeUndefined()
    expect(reasonIn(await attempt.finish(attempt.response, replay))).toBe('sso-expired')
    expect(await personIn(replay)).toBeNull()
  })

  it('accepts only one of three identical responses that arrive at the same time', async () => {
    const attempt = await start()
    const answers = await Promise.all([attempt.finish(), attempt.finish(), attempt.finish()])
    expect(answers.map(reasonIn).filter((reason) => reason === undefined)).toHaveLength(1)
  })

  it('rejects a response that arrives after ten minutes', async () => {
    const attempt = await start()
    now += 601_000
    expect(reasonIn(await attempt.finish())).toBe('sso-expired')
    expect(await personIn(attempt.browser)).toBeNull()
  })

  it('rejects responses from an address after ten failed responses in a minute', async () => {
    const reasons = []
    for (let count = 0; count < 11; count++) {
      const attempt = await start()
      reasons.push(reasonIn(await attempt.finish({ ...attempt.response, code: 'guessed' })))
    }
    expect(reasons).toEqual([...Array(10).fill('sso-failed'), 'rate-limited'])
  })

  it.each([
    ['names another issuer', () => provider.issuer.replace('127.0.0.1', 'localhost')],
    ['does not exist', () => `${provider.issuer}/missing`],
  ])('is unavailable if the discovery document %s', async (_name, issuer) => {
    const env = { ...ssoSettings(issuer()), MUSTER_OIDC_ALLOW: '127.0.0.1,::1' }
    const server = await app.startAnother({ env, clock: () => new Date(now) })
    onTestFinished(() => server.close())
    expect(reasonIn(await navigate(openBrowser(server), '/auth/sso/start'))).toBe('sso-unavailable')
    const body = new URLSearchParams({ logout_token: 'x' })
    expect((await fetch(`${server.url}/auth/sso/backchannel-logout`, { method: 'POST', body })).status).toBe(503)
  })
})
