import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { linkUser } from '../../src/features/users/user-administration.ts'
import { type Browser, newPerson, openBrowser, signIn } from '../clients/browser.ts'
import { codeOf, fromBase32, wrongCodeOf } from '../clients/totp.ts'
import type { TestDatabase } from '../database/test-database.ts'
import type { MailServer } from '../harness/mail-server.ts'
import type { ServerProcess } from '../harness/server-process.ts'
import type { ForgingProvider } from '../single-sign-on/forging-provider.ts'
import { startSignOn } from '../single-sign-on/sign-on.ts'
import type { Canaries } from './canaries.ts'

/** The cookie that is valid between the password and the code of a two-factor sign-in. */
const TWO_FACTOR_COOKIE = 'muster.two_factor'
const POLL_MS = 50

export interface SignInFlows {
  server: Pick<ServerProcess, 'url'>
  database: TestDatabase
  provider: ForgingProvider
  mail: MailServer
  canaries: Canaries
  errors: string[]
  owner: { id: string; email: string; password: string }
}

/** Signs in with a password and a second factor, correctly and with wrong or changed secrets. */
export async function passwordSignIn({ server, database, canaries, errors }: SignInFlows): Promise<void> {
  const person = await newPerson(database)
  canaries.add('password', person.password)
  const browser = await signIn(server, person)
  const guesser = openBrowser(server)
  const expectRejected = async (path: string, body: object): Promise<void> => {
    errors.push(JSON.stringify((await guesser.auth(path, body)).body))
  }
  const guess = canaries.add('wrong password', randomBytes(18).toString('base64url'))
  await expectRejected('/sign-in/email', { email: person.email, password: guess })
  await expectRejected('/sign-in/email', { email: [person.email], password: person.password })
  await expectRejected('/sign-in/email', { email: person.email, password: person.password, other: person.password })
  const truncated = `{"email":"${person.email}","password":"${person.password}"`
  errors.push(JSON.stringify((await guesser.send('/auth/sign-in/email', { method: 'POST', body: truncated })).body))

  const { totpURI, backupCodes } = (await browser.auth('/two-factor/enable', { password: person.password })).body
  const shown = canaries.add('TOTP secret', new URL(totpURI).searchParams.get('secret')!)
  canaries.add('TOTP secret', fromBase32(shown).toString())
  for (const code of backupCodes) canaries.add('backup code', code)
  await browser.auth('/two-factor/verify-totp', { code: codeOf(totpURI) })
  const again = openBrowser(server)
  await again.auth('/sign-in/email', { email: person.email, password: person.password })
  const twoFactorCookie = again.cookies.get(TWO_FACTOR_COOKIE) ?? ''
  canaries.add('two-factor cookie', decodeURIComponent(twoFactorCookie))
  canaries.add('two-factor cookie signature', decodeURIComponent(twoFactorCookie).split('.').at(-1) ?? '')
  const headers = { cookie: `${TWO_FACTOR_COOKIE}=${twoFactorCookie}x` }
  const { body } = await again.send('/auth/two-factor/verify-totp', { body: { code: codeOf(totpURI) }, headers })
  errors.push(JSON.stringify(body))
  errors.push(JSON.stringify((await again.auth('/two-factor/verify-totp', { code: wrongCodeOf(totpURI) })).body))
  await again.auth('/two-factor/verify-backup-code', { code: backupCodes[0] })
  const next = canaries.add('password', randomBytes(18).toString('base64url'))
  await again.auth('/change-password', { currentPassword: person.password, newPassword: next })
  for (const each of [browser, again]) {
    const cookie = each.cookies.get('muster.session_token') ?? ''
    canaries.add('session cookie', decodeURIComponent(cookie))
    canaries.add('session cookie signature', decodeURIComponent(cookie).split('.')[1] ?? '')
    await each.query('{ login { email events { items { data } } } }')
    errors.push(
      JSON.stringify(
        (await each.query('{ login { email } }', {}, { headers: { cookie: `muster.session_token=${cookie}x` } })).body,
      ),
    )
  }
}

/** Signs in through OpenID Connect, correctly and with responses that contain secrets in wrong places. */
export async function singleSignOn({ server, database, provider, canaries, errors }: SignInFlows): Promise<void> {
  const person = await newPerson(database)
  const claims = { sub: person.id, email: person.email, email_verified: true }
  const idToken = (token: string): string => {
    canaries.add('signature of an ID token', token.split('.').at(-1)!)
    return canaries.add('ID token', token)
  }
  const attempt = await startSignOn(server, provider, { claims, forgery: { idToken } })
  const code = canaries.add('authorization code', attempt.response.code!)
  const wrong = await attempt.finish({ ...attempt.response, state: `${attempt.response.state}x` })
  errors.push(JSON.stringify([wrong.headers.get('location'), wrong.body]))
  const signedIn = await attempt.finish()
  if (signedIn.status !== 303) throw new Error(`The sign-in ended with status ${signedIn.status}, not 303.`)
  const again = await attempt.finish()
  errors.push(JSON.stringify([again.headers.get('location'), again.body]))

  const [clientSecret, refused] = [provider.tokenRequests.at(-1)?.get('client_secret'), 'invalid_grant']
  const echo = { error: refused, error_description: `${code} ${clientSecret}`, code, client_secret: clientSecret }
  for (const [body, type] of [
    [JSON.stringify(echo), 'application/json'],
    [
      JSON.stringify({ access_token: 'x', token_type: 'Bearer', id_token: `${code}.${clientSecret}.x` }),
      'application/json',
    ],
    [`<p>${code} ${clientSecret}</p>`, 'text/html'],
  ] as const) {
    const rejected = await startSignOn(server, provider, {
      claims,
      forgery: { tokenResponse: (response) => response.writeHead(400, { 'content-type': type }).end(body) },
    })
    canaries.add('authorization code', rejected.response.code!)
    const { headers } = await rejected.finish()
    errors.push(headers.get('location') ?? '')
  }
  const tampered = await startSignOn(server, provider, {
    claims,
    forgery: { idToken: (token) => canaries.add('ID token', `${token.slice(0, -8)}AAAAAAAA`) },
  })
  errors.push((await tampered.finish()).headers.get('location') ?? '')
  const logoutToken = canaries.add(
    'logout token',
    await provider.signLogoutToken({ sub: person.id }, { sign: 'stranger' }),
  )
  const logout = await fetch(`${server.url}/auth/sso/backchannel-logout`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ logout_token: logoutToken }),
  })
  errors.push(await logout.text())
}

/**
 * Starts a sign-in from the command line, and polls it with wrong secrets. Also uses a sign-in link, with its token and
 * with wrong tokens.
 */
export async function otherSignIns({ server, database, canaries, errors }: SignInFlows): Promise<void> {
  const send = async (path: string, body: object) => {
    const response = await openBrowser(server).send(`/auth${path}`, { body })
    if (response.status >= 400) errors.push(JSON.stringify(response.body))
    return response.body
  }
  const publicKey = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }).toString()
  const started = await send('/cli/start', { publicKey, machine: 'canary', port: 4_321 })
  const deviceCode = canaries.add('device code', started.deviceCode)
  await send('/cli/poll', { deviceCode: `${deviceCode}x` })
  await send('/cli/poll', {
    deviceCode,
    code: canaries.add('code of the loopback address', randomBytes(24).toString('hex')),
  })
  await send('/cli/poll', { deviceCode: [deviceCode] })
  await send('/cli/start', { publicKey: deviceCode, machine: 'canary' })

  const person = await newPerson(database)
  const { token } = await linkUser(database.db, person.email, new Date())
  canaries.add('token of a sign-in link', token)
  await send('/sign-in/link', { token: `${token}x` })
  await send('/sign-in/link', { token: [token] })
  await send('/sign-in/link', { token })
  await send('/sign-in/link', { token })
  errors.push(await (await fetch(`${server.url}/sign-in-link?token=${token}`)).text())
}

/** Sends invitations by email, one of which the mail server rejects. */
export async function invitations({ server, mail, canaries, errors, owner }: SignInFlows): Promise<void> {
  const browser: Browser = await signIn(server, owner)
  const invite = async (email: string) => {
    const document = 'mutation ($email: String) { createInvitation(roleId: "viewer", email: $email) { id link } }'
    const { data } = (await browser.query(document, { email })).body
    canaries.add('token of an invitation', new URL(data.createInvitation.link).hash.slice(1))
    return data.createInvitation.id as string
  }
  const isKnown = async (id: string): Promise<boolean> => {
    const { data } = (await browser.query('{ login { invitations { id emailStatus } } }')).body
    return data.login.invitations.some(
      (each: { id: string; emailStatus: string }) => each.id === id && each.emailStatus !== 'pending',
    )
  }
  const sent = await invite('sent@example.com')
  while (!(await isKnown(sent))) await sleep(POLL_MS)
  if (mail.received.length === 0) throw new Error('The mail server did not receive the invitation.')
  mail.isRejecting = true
  const failed = await invite('failed@example.com')
  while (!(await isKnown(failed))) await sleep(POLL_MS)
  const guess = await openBrowser(server).auth('/invitation', { token: 'x'.repeat(43) })
  errors.push(JSON.stringify(guess.body))
}
