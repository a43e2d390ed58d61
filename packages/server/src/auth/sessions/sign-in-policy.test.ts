import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { createAuthenticator } from '../../../test/clients/authenticator.ts'
import { type Browser, newPerson, openBrowser, type Person, signIn } from '../../../test/clients/browser.ts'
import { openStreamOf } from '../../../test/clients/session-stream.ts'
import { codeOf, nextCodeOf } from '../../../test/clients/totp.ts'
import { whilePreviousReleaseRuns } from '../../../test/database/previous-release.ts'
import { addMember } from '../../../test/factories/member.ts'
import { ask, done, newTeam, type Team } from '../../../test/factories/team.ts'
import { startTestApp, type TestApp } from '../../../test/harness/app.ts'
import { type ForgingProvider, startForgingProvider } from '../../../test/single-sign-on/forging-provider.ts'
import { PUBLIC_URL, personIn, signOn, ssoSettings } from '../../../test/single-sign-on/sign-on.ts'

const setPolicy =
  'mutation ($signInPolicy: SignInPolicy) { updateAccount(signInPolicy: $signInPolicy) { signInPolicy } }'

let provider: ForgingProvider
let app: TestApp
let other: TestApp
let team: Team
let count = 0
beforeAll(async () => {
  provider = await startForgingProvider()
  const env = { ...ssoSettings(provider.issuer), MUSTER_OIDC_SIGN_UP: 'anyone' }
  app = await startTestApp({ env })
  other = await app.startAnother({ env })
})
beforeEach(async () => {
  team = await newTeam(app)
})
afterAll(async () => {
  await other.close()
  await app.close()
  await provider.close()
})

const inTeam = () => ({ headers: { 'muster-account': team.account.accountId } })

async function newSsoMember(roleId: string): Promise<Browser> {
  const browser = await signOn(app, provider, { claims: { sub: `policy-${Date.now()}-${count++}` } })
  const { id } = (await personIn(browser))!
  await addMember(app, { accountId: team.account.accountId, personId: id, roleId })
  return browser
}

async function require(signInPolicy: string): Promise<void> {
  const owner = await newSsoMember('owner')
  const { body } = await owner.query(setPolicy, { signInPolicy }, inTeam())
  expect(body.data.updateAccount).toEqual({ signInPolicy })
}

it('limits a session that does not meet the policy, and nothing else', async () => {
  await require('SSO')
  expect((await ask(team.viewer, '{ login { id } }')).error).toEqual(['FORBIDDEN', 'sign-in-required'])
  expect((await ask(team.viewer, '{ login { devices { total } } }')).error).toEqual(['FORBIDDEN', 'sign-in-required'])
  expect((await ask(team.owner, setPolicy, { signInPolicy: 'ANY' })).error).toEqual(['FORBIDDEN', 'sign-in-required'])
  expect((await ask(team.viewer, 'mutation { leaveAccount }')).error?.[0]).toBeDefined()
  const { me } = await done(
    team.viewer,
    '{ me { account { id } grant { permissions } accounts { account { id } requiredSignIn } } }',
  )
  expect(me).toMatchObject({ account: null, grant: null })
  expect(me.accounts).toContainEqual({ account: { id: team.account.accountId }, requiredSignIn: 'SSO' })
  expect(me.accounts).toContainEqual({ account: { id: team.viewer.id }, requiredSignIn: null })
  // The policy affects neither the person's other account nor the access keys of the team's account.
  const own = { headers: { ...team.viewer.headers, 'muster-account': team.viewer.id } }
  expect((await ask(own, '{ login { id } }')).data).toEqual({ login: { id: team.viewer.id } })
  expect((await team.account.data('{ login { signInPolicy } }')).login).toEqual({ signInPolicy: 'SSO' })
  const sso = await newSsoMember('viewer')
  expect((await sso.query('{ login { id } }', {}, inTeam())).body.data.login.id).toBe(team.account.accountId)
})

it('rejects another policy while a server of the previous release is running', async () => {
  await whilePreviousReleaseRuns(app, async () => {
    expect((await ask(team.owner, setPolicy, { signInPolicy: 'SECOND_FACTOR' })).error?.[0]).toBe('CONFLICT')
    const owner = await newSsoMember('owner')
    const { body } = await owner.query(setPolicy, { signInPolicy: 'SSO' }, inTeam())
    expect(body.errors[0].extensions.code).toBe('UNAVAILABLE')
    const rename = 'mutation { updateAccount(name: "renamed", signInPolicy: ANY) { name } }'
    expect((await done(team.owner, rename)).updateAccount).toEqual({ name: 'renamed' })
  })
  await require('SSO')
})

it('ends open streams and download links that do not meet a changed policy, even on another server', async () => {
  const { login } = await done(team.admin, '{ login { eventsUrl } }')
  const links = [app, other].map(({ url }) => login.eventsUrl.replace(PUBLIC_URL, url))
  const streams = await Promise.all(
    [app, other].map((at) => openStreamOf(at, { ...team.admin.headers, origin: at.url })),
  )
  const statusesOf = () => Promise.all(links.map(async (link) => (await fetch(link)).status))
  expect([...streams.map(({ status }) => status), ...(await statusesOf())]).toEqual([200, 200, 200, 200])
  const sso = await newSsoMember('owner')
  const meeting = await openStreamOf(other, { ...inTeam().headers, cookie: sso.cookieHeader(), 'muster-session': '1' })

  const changed = Date.now()
  expect((await sso.query(setPolicy, { signInPolicy: 'SSO' }, inTeam())).body.errors).toBeUndefined()
  for (const stream of streams) expect(await stream.ended).toContain('sign-in-required')
  console.log(`a changed sign-in policy: streams on two servers ended after ${Date.now() - changed} ms`)
  expect(await statusesOf()).toEqual([401, 401])
  expect(await Promise.race([meeting.ended, 'open'])).toBe('open')
})

async function newMember(): Promise<{ person: Person; browser: Browser }> {
  const person = await newPerson(app)
  await addMember(app, { accountId: team.account.accountId, personId: person.id, roleId: 'viewer' })
  return { person, browser: await signIn(app, person) }
}

async function turnOnTotp(
  { auth }: Browser,
  { password }: Person,
): Promise<{ totpURI: string; backupCodes: string[] }> {
  const { body } = await auth('/two-factor/enable', { password })
  expect((await auth('/two-factor/verify-totp', { code: codeOf(body.totpURI) })).body).toEqual({ signedIn: true })
  return body
}

const reasonFor = async (browser: Browser): Promise<unknown> =>
  (await browser.query('{ login { id } }', {}, inTeam())).body.errors?.[0].extensions.reason

it('accepts a passkey, a code, and single sign-on as a second factor, but not a password alone', async () => {
  const { person, browser: byPassword } = await newMember()
  await require('SECOND_FACTOR')
  expect(await reasonFor(byPassword)).toBe('sign-in-required')

  const authenticator = createAuthenticator({ origin: 'http://muster.example' })
  const options = (await byPassword.auth('/passkey/generate-register-options')).body
  await byPassword.auth('/passkey/verify-registration', { response: authenticator.register(options), name: 'laptop' })
  const byPasskey = openBrowser(app)
  const challenge = (await byPasskey.auth('/passkey/generate-authenticate-options')).body
  await byPasskey.auth('/passkey/verify-authentication', { response: authenticator.authenticate(challenge) })
  expect(await reasonFor(byPasskey)).toBeUndefined()

  const { backupCodes } = await turnOnTotp(byPassword, person)
  expect(await reasonFor(byPassword)).toBeUndefined()
  const byCode = openBrowser(app)
  await byCode.auth('/sign-in/email', { email: person.email, password: person.password })
  await byCode.auth('/two-factor/verify-backup-code', { code: backupCodes[0] })
  expect(await reasonFor(byCode)).toBeUndefined()
  expect(await reasonFor(await newSsoMember('viewer'))).toBeUndefined()
})

it('accepts a password in a trusted browser as a second factor', async () => {
  const { person, browser } = await newMember()
  const { totpURI } = await turnOnTotp(browser, person)
  await require('SECOND_FACTOR')
  const { email, password } = person
  const trusted = openBrowser(app)
  await trusted.auth('/sign-in/email', { email, password })
  await trusted.auth('/two-factor/verify-totp', { code: nextCodeOf(totpURI), trustDevice: true })
  await trusted.auth('/sign-out', {})
  expect((await trusted.auth('/sign-in/email', { email, password })).body).toEqual({ signedIn: true })
  expect(await reasonFor(trusted)).toBeUndefined()
  // Without two-factor authentication, the server trusts no browser.
  await browser.auth('/two-factor/disable', { password })
  expect((await trusted.auth('/sign-in/email', { email, password })).body).toEqual({ signedIn: true })
  expect(await reasonFor(trusted)).toBe('sign-in-required')
})

it('accepts the session after the person changes the password or turns off two-factor authentication', async () => {
  const { person, browser } = await newMember()
  await turnOnTotp(browser, person)
  await require('SECOND_FACTOR')
  const newPassword = 'correct horse battery staple'
  await browser.auth('/change-password', { currentPassword: person.password, newPassword })
  expect(await reasonFor(browser)).toBeUndefined()
  await browser.auth('/two-factor/disable', { password: newPassword })
  expect(await reasonFor(browser)).toBeUndefined()
})

it('rejects another policy that the caller does not meet, and records changes', async () => {
  for (const signInPolicy of ['SECOND_FACTOR', 'SSO'])
    expect((await ask(team.admin, setPolicy, { signInPolicy })).error?.[0]).toBe('CONFLICT')
  await expect(team.account.data(setPolicy, { signInPolicy: 'SSO' })).rejects.toThrow('CONFLICT')
  await require('SSO')
  expect(await team.eventsOf('ACCOUNT_UPDATE')).toMatchObject([
    { data: { changes: { signInPolicy: { old: 'ANY', new: 'SSO' } } } },
  ])
  await team.account.data(setPolicy, { signInPolicy: 'ANY' })
  expect((await ask(team.viewer, '{ login { id } }')).error).toBeUndefined()
})
