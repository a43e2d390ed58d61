import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { newPerson } from '../../../../test/clients/browser.ts'
import { failure, keyOf, NOTIFIED, type Sender, sendAsUser } from '../../../../test/factories/keys.ts'
import { done, nameGroups, newTeam, roleOf, type Team } from '../../../../test/factories/team.ts'
import { startTestApp, type TestApp } from '../../../../test/harness/app.ts'
import { type ForgingProvider, startForgingProvider } from '../../../../test/single-sign-on/forging-provider.ts'
import { failureOf, personIn, signOn, ssoSettings } from '../../../../test/single-sign-on/sign-on.ts'

let provider: ForgingProvider
let app: TestApp
let team: Team
let now = Date.now()
let count = 0
beforeAll(async () => {
  provider = await startForgingProvider()
  app = await startTestApp({ env: ssoSettings(provider.issuer), clock: () => new Date(now) })
})
beforeEach(async () => {
  now += 61_000
  team = await newTeam(app)
})
afterAll(async () => {
  await app.close()
  await provider.close()
})

const newSubject = (): string => `subject-${Date.now()}-${count++}`
const newGroup = (): string => `group-${Date.now()}-${count++}`

describe('a person who signs in for the first time', () => {
  it.each([
    [true, 'linked'],
    ['true', 'linked'],
    [false, 'sso-link-required'],
    ['false', 'sso-link-required'],
    [1, 'sso-link-required'],
    ['1', 'sso-link-required'],
    [undefined, 'sso-link-required'],
  ])('with email_verified %j and the address of an existing person: %s', async (email_verified, expected) => {
    const person = await newPerson(app)
    const claims = { sub: newSubject(), email: person.email.toUpperCase(), email_verified }
    if (expected === 'linked') {
      const browser = await signOn(app, provider, { claims })
      expect(await personIn(browser)).toMatchObject({ id: person.id, email: person.email })
    } else expect(await failureOf(app, provider, { claims })).toBe(expected)
  })

  it('is not linked to a person whose address is unconfirmed', async () => {
    const person = await newPerson(app)
    await app.db.updateTable('person').set({ email_confirmed: false }).where('id', '=', person.id).execute()
    const claims = { sub: newSubject(), email: person.email, email_verified: true }
    expect(await failureOf(app, provider, { claims })).toBe('sso-link-required')
  })

  it('cannot join without a group, but is asked to use an open invitation for a verified address', async () => {
    const email = `${newSubject()}@example.com`
    const claimsOf = (email_verified: boolean) => ({ claims: { sub: newSubject(), email, email_verified } })
    expect(await failureOf(app, provider, claimsOf(true))).toBe('sso-not-invited')
    const create = `mutation { createInvitation(roleId: "viewer", email: "${email.toUpperCase()}") { id } }`
    const { createInvitation } = await done(team.admin, create)
    expect(await failureOf(app, provider, claimsOf(true))).toBe('sso-use-invitation')
    expect(await failureOf(app, provider, claimsOf(false))).toBe('sso-not-invited')
    await done(team.admin, `mutation { deleteInvitation(id: "${createInvitation.id}") }`)
    expect(await failureOf(app, provider, claimsOf(true))).toBe('sso-not-invited')
  })

  it('cannot join without an email address', async () => {
    const claims = { sub: newSubject(), email: undefined as unknown as string }
    expect(await failureOf(app, provider, { claims })).toBe('sso-failed')
  })

  it('joins with an invitation, regardless of the address', async () => {
    const sub = newSubject()
    const create = 'mutation { createInvitation(roleId: "operator", email: "invited@example.com") { link } }'
    const { createInvitation } = await done(team.admin, create)
    const query = `invitation=${createInvitation.link.split('#')[1]}&to=/devices`
    await signOn(app, provider, { claims: { sub }, query })
    expect(await roleOf(team, `${sub}@example.com`)).toBe('invitation operator')
    const again = { claims: { sub: newSubject() }, query }
    expect(await failureOf(app, provider, again)).toBe('sso-not-invited')
  })

  it('is not linked to an existing person by an invitation if the address is unverified', async () => {
    const person = await newPerson(app)
    const { createInvitation } = await done(team.admin, 'mutation { createInvitation(roleId: "viewer") { link } }')
    const query = `invitation=${createInvitation.link.split('#')[1]}`
    const claims = { sub: newSubject(), email: person.email, email_verified: false }
    expect(await failureOf(app, provider, { claims, query })).toBe('sso-link-required')
  })
})

describe('a person who signs in again', () => {
  it('remains the same person, and a new address replaces the old one if it is verified and not in use', async () => {
    const [sub, groups] = [newSubject(), [newGroup()]]
    await nameGroups(team, 'viewer', groups)
    const first = await personIn(await signOn(app, provider, { claims: { sub, groups, email_verified: true } }))
    const email = `${newSubject()}@example.com`
    const unverified = { sub, groups, email: `${newSubject()}@example.com`, email_verified: false }
    expect(await personIn(await signOn(app, provider, { claims: unverified }))).toEqual(first)
    const claims = { sub, groups, email, email_verified: true }
    expect(await personIn(await signOn(app, provider, { claims }))).toEqual({ ...first, email })
    const taken = { sub, groups, email: team.viewer.email, email_verified: true }
    expect(await personIn(await signOn(app, provider, { claims: taken }))).toEqual({ ...first, email })
  })

  it('is a different person if the same subject comes from a different issuer', async () => {
    const other = await startForgingProvider()
    const server = await app.startAnother({ env: ssoSettings(other.issuer), clock: () => new Date(now) })
    const [sub, groups] = [newSubject(), [newGroup()]]
    await nameGroups(team, 'viewer', groups)
    const first = await personIn(await signOn(app, provider, { claims: { sub, groups } }))
    const claims = { sub, groups, email: `${newSubject()}@example.com` }
    const second = await personIn(await signOn(server, other, { claims }))
    expect(second?.id).not.toBe(first?.id)
    await server.close()
    await other.close()
  })

  it('cannot sign in while disabled', async () => {
    const [sub, groups] = [newSubject(), [newGroup()]]
    await nameGroups(team, 'viewer', groups)
    const person = await personIn(await signOn(app, provider, { claims: { sub, groups } }))
    await app.db.updateTable('person').set({ disabled: new Date() }).where('id', '=', person!.id).execute()
    expect(await failureOf(app, provider, { claims: { sub, groups } })).toBe('sso-disabled')
  })
})

describe('group-based memberships', () => {
  it('follow the groups that the provider sends, and record events', async () => {
    const sub = newSubject()
    const email = `${sub}@example.com`
    const [viewers, operators] = [newGroup(), newGroup()]
    await nameGroups(team, 'viewer', [viewers])
    await nameGroups(team, 'operator', [operators])
    const signOnWith = (groups: unknown) => signOn(app, provider, { claims: { sub, groups } as { sub: string } })
    await signOnWith([viewers, 'other'])
    expect(await roleOf(team, email)).toBe('group viewer')
    await signOnWith([operators])
    expect(await roleOf(team, email)).toBe('group operator')
    // If the provider sends no groups, the membership stays unchanged.
    await signOnWith(undefined)
    expect(await roleOf(team, email)).toBe('group operator')
    await signOnWith([])
    expect(await roleOf(team, email)).toBeUndefined()
    const document =
      '{ login { events(types: [MEMBER_JOIN, MEMBER_UPDATE, MEMBER_LEAVE]) { items { actor { id } data } } } }'
    const { login } = await done(team.owner, document)
    expect(login.events.items).toMatchObject([
      { actor: null, data: { email, role: 'operator', source: 'group' } },
      { actor: null, data: { email, role: { old: 'viewer', new: 'operator' } } },
      { actor: null, data: { email, role: 'viewer', source: 'group' } },
    ])
  })

  it('use the alphabetically first custom role, or else the built-in role with the fewest permissions', async () => {
    const [sub, group] = [newSubject(), newGroup()]
    await nameGroups(team, 'viewer', [group])
    await nameGroups(team, 'admin', [group])
    await signOn(app, provider, { claims: { sub, groups: [group] } })
    expect(await roleOf(team, `${sub}@example.com`)).toBe('group viewer')
    for (const name of ['Zulu', 'Alpha']) {
      const create =
        'mutation ($name: String!, $groups: [String!]) { createRole(name: $name, access: { permissions: [DEVICE_READ] }, groups: $groups) { id } }'
      await done(team.owner, create, { name, groups: [group] })
    }
    await signOn(app, provider, { claims: { sub, groups: [group] } })
    expect(await roleOf(team, `${sub}@example.com`)).toBe('group Alpha')
  })

  it('leave the membership of a person whom an operator added unchanged', async () => {
    const group = newGroup()
    await nameGroups(team, 'viewer', [group])
    const { email } = team.admin
    await signOn(app, provider, { claims: { sub: newSubject(), email, email_verified: true, groups: [group] } })
    expect(await roleOf(team, email)).toBe('operator admin')
  })

  it('keep the last owner', async () => {
    const [sub, group] = [newSubject(), newGroup()]
    await nameGroups(team, 'owner', [group])
    await signOn(app, provider, { claims: { sub, groups: [group] } })
    const others = [team.owner.id, team.account.accountId]
    await app.db
      .deleteFrom('membership')
      .where('account_id', '=', team.account.accountId)
      .where('person_id', 'in', others)
      .execute()
    const browser = await signOn(app, provider, { claims: { sub, groups: [] } })
    const { body } = await browser.query('{ me { accounts { role { id } } } }')
    expect(body.data.me.accounts).toEqual([{ role: { id: 'owner' } }])
  })

  it('are read from a nested claim', async () => {
    const server = await app.startAnother({
      env: { ...ssoSettings(provider.issuer), MUSTER_OIDC_GROUPS: 'realm_access.roles' },
      clock: () => new Date(now),
    })
    const [sub, group] = [newSubject(), newGroup()]
    await nameGroups(team, 'viewer', [group])
    await signOn(server, provider, { claims: { sub, realm_access: { roles: [group] } } })
    expect(await roleOf(team, `${sub}@example.com`)).toBe('group viewer')
    await server.close()
  })
})

describe('a personal key of a member through a group', () => {
  // A signed request is valid only for five minutes, so this test uses the actual time.
  let later: number
  beforeEach(() => {
    later = now
    now = Date.now()
  })
  afterEach(() => {
    now = later
  })

  it('is rejected if the member has not signed in for too long, until the next sign-in', async () => {
    const group = newGroup()
    await nameGroups(team, 'viewer', [group])
    const claims = { sub: newSubject(), groups: [group] }
    const browser = await signOn(app, provider, { claims })
    const { id } = (await personIn(browser))!
    const inTeam = { headers: { 'muster-account': team.account.accountId } }
    const send: Sender = async (document) => (await browser.query(document, {}, inTeam)).body
    const key = await keyOf(app, send, 'personal: true')
    const account = await keyOf(app, sendAsUser(team.account), 'name: "of the account"')
    const read = '{ login { accessKeys { key suspended } } }'
    const shown = async (): Promise<unknown> =>
      (await send(read)).data.login.accessKeys.find((each: { key: string }) => each.key === key.keyId).suspended
    const reason = async (): Promise<unknown> => failure(await key.query(read)).reason
    expect([await shown(), await reason()]).toEqual([null, undefined])
    // The server caches a key for up to 30 seconds or until the key changes, so this function also renames the key.
    const signedIn = async (days: number): Promise<void> => {
      const at = new Date(now - days * 86_400_000)
      await app.db.updateTable('person_identity').set({ last_used: at }).where('person_id', '=', id).execute()
      await send(`mutation { updateAccessKey(key: "${key.keyId}", name: "${days}") { key } }`)
    }
    await signedIn(89)
    expect([await shown(), await reason()]).toEqual([null, undefined])
    await signedIn(91)
    await expect.poll(reason, NOTIFIED).toBe('key-stale')
    expect(await shown()).toBe('stale')
    expect(failure(await account.query(read))).toEqual({ code: undefined })
    const { simulate } = (await team.account.data(`{ login { simulate(key: "${key.keyId}") { devices reasons } } }`))
      .login
    expect(simulate).toMatchObject({ devices: 0 })
    expect(simulate.reasons[0]).toBe('the creator of the key must use single sign-on again')
    await signOn(app, provider, { claims })
    await send(`mutation { updateAccessKey(key: "${key.keyId}", name: "again") { key } }`)
    await expect.poll(reason, NOTIFIED).toBeUndefined()
    expect(await shown()).toBeNull()
  })
})

describe('the setting for sign-up', () => {
  it('creates an account for an unknown person if set to anyone, and ignores groups if set to invited', async () => {
    const settings = ssoSettings(provider.issuer)
    const clock = () => new Date(now)
    const open = await app.startAnother({ env: { ...settings, MUSTER_OIDC_SIGN_UP: 'anyone' }, clock })
    const closed = await app.startAnother({ env: { ...settings, MUSTER_OIDC_SIGN_UP: 'invited' }, clock })
    const browser = await signOn(open, provider, { claims: { sub: newSubject() } })
    const person = await personIn(browser)
    const { body } = await browser.query('{ login { id } me { accounts { role { id } } } }')
    expect(body.data).toEqual({ login: { id: person!.id }, me: { accounts: [{ role: { id: 'owner' } }] } })
    const group = newGroup()
    await nameGroups(team, 'viewer', [group])
    expect(await failureOf(closed, provider, { claims: { sub: newSubject(), groups: [group] } })).toBe(
      'sso-not-invited',
    )
    await open.close()
    await closed.close()
  })
})
