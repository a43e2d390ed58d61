import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { errorOf, newPerson, openBrowser, signIn } from '../../../../test/clients/browser.ts'
import { statActivity } from '../../../../test/cluster/cluster-databases.ts'
import { asMember, failure, keyOf } from '../../../../test/factories/keys.ts'
import type { TestMember } from '../../../../test/factories/member.ts'
import { ask, done, newOutsider, newTeam, setRole, type Team } from '../../../../test/factories/team.ts'
import { sharedTestApp, type TestUser } from '../../../../test/harness/app.ts'
import { disableUser, enableUser } from '../user-administration.ts'

const app = sharedTestApp()

let account: TestUser
let owner: TestMember
let admin: TestMember
let viewer: TestMember
let eventsOf: Team['eventsOf']
beforeEach(async () => {
  ;({ account, owner, admin, viewer, eventsOf } = await newTeam(app))
})

describe('invitations', () => {
  const create =
    'mutation ($roleId: ID!, $email: String, $expires: DateTime) { createInvitation(roleId: $roleId, email: $email, expires: $expires) { id link email emailStatus role { id } createdBy { kind user { id } } } }'
  const accept = 'mutation ($token: String!) { acceptInvitation(token: $token) { id } }'
  const invite = async (
    by: TestMember,
    roleId = 'operator',
    email?: string,
  ): Promise<{ id: string; token: string }> => {
    const { createInvitation } = await done(by, create, { roleId, email })
    return { id: createInvitation.id, token: createInvitation.link.split('#')[1] }
  }
  it('make a signed-in person a member once', async () => {
    const person = await newOutsider(app)
    const { token } = await invite(admin, 'operator', 'someone@example.com')
    expect((await done(person, accept, { token })).acceptInvitation).toEqual({ id: account.accountId })
    expect((await ask(person, accept, { token })).error?.[0]).toBe('NOT_FOUND')
    const inAccount = { ...person, headers: { ...person.headers, 'muster-account': account.accountId } }
    expect((await done(inAccount, '{ login { id } }')).login).toEqual({ id: account.accountId })
    expect(await eventsOf('MEMBER_JOIN')).toMatchObject([
      {
        actor: { id: person.id },
        data: { email: person.email, role: 'operator', source: 'invitation', invitedEmail: 'someone@example.com' },
      },
    ])
    const { token: second } = await invite(admin)
    expect((await ask(inAccount, accept, { token: second })).error?.[0]).toBe('CONFLICT')
  })

  it('make one member if several people use the link at the same time', async () => {
    const people = await Promise.all([newOutsider(app), newOutsider(app), newOutsider(app)])
    const { token } = await invite(admin)
    const answers = await Promise.all(people.map((person) => ask(person, accept, { token })))
    expect(answers.filter(({ error }) => error === undefined)).toHaveLength(1)
    expect(await eventsOf('MEMBER_JOIN')).toHaveLength(1)
  })

  it('create a person with a password, who is then signed in', async () => {
    const email = `new-${Date.now()}@example.com`
    const { token } = await invite(admin, 'viewer', email)
    const browser = openBrowser(app)
    const { body: shown } = await browser.auth('/invitation', { token })
    expect(shown.invitation).toMatchObject({ account: { email: account.email }, email, role: 'viewer' })
    const password = 'correct horse battery staple'
    expect((await browser.auth('/accept-invitation', { token, name: 'Lin', password: 'short' })).status).toBe(400)
    const { status, body } = await browser.auth('/accept-invitation', { token, name: 'Lin', password })
    expect([status, body]).toEqual([200, { signedIn: true }])
    const { body: asked } = await browser.query('{ login { id } me { person { email name } } }')
    expect(asked.data).toEqual({ login: { id: account.accountId }, me: { person: { email, name: 'Lin' } } })
    expect((await openBrowser(app).auth('/accept-invitation', { token, password })).status).toBe(404)
  })

  it('do not change the password of an existing person', async () => {
    const person = await newPerson(app)
    const { token } = await invite(admin, 'viewer', person.email)
    const response = await openBrowser(app).auth('/accept-invitation', { token, password: 'correct horse battery' })
    expect(errorOf(response)).toEqual([409, 'CONFLICT', undefined])
    expect((await signIn(app, person)).cookies.size).toBeGreaterThan(0)
  })

  it('are checked again when a person accepts them', async () => {
    const { token } = await invite(admin, 'admin')
    await done(owner, setRole, { personId: admin.id, roleId: 'viewer' })
    expect((await ask(await newOutsider(app), accept, { token })).error).toEqual(['FORBIDDEN', 'exceeds-own-access'])
    expect(await eventsOf('MEMBER_JOIN')).toEqual([])
  })

  it('cannot be created with an access key whose creator can no longer give the role', async () => {
    const createRole = 'mutation { createRole(name: "Readers", access: { permissions: [DEVICE_READ] }) { id } }'
    const { createRole: role } = await done(admin, createRole)
    const key = await keyOf(app, asMember(app, admin), 'access: { permissions: [MEMBER_MANAGE, DEVICE_READ] }')
    const document = `mutation { createInvitation(roleId: "${role.id}") { id } }`
    const { createInvitation } = await key.data(document)
    await done(owner, 'mutation ($id: ID!) { removeMember(personId: $id) }', { id: admin.id })
    const exceeds = { code: 'FORBIDDEN', reason: 'exceeds-own-access' }
    expect(failure(await key.query(document))).toEqual(exceeds)
    const resend = `mutation { resendInvitation(id: "${createInvitation.id}") { id } }`
    expect(failure(await key.query(resend))).toEqual(exceeds)
  })

  it('are rejected while the inviter is disabled', async () => {
    const { token } = await invite(admin)
    const person = await newOutsider(app)
    await disableUser(app.db, admin.email, new Date())
    expect((await ask(person, accept, { token })).error).toEqual(['FORBIDDEN', 'exceeds-own-access'])
    await enableUser(app.db, admin.email)
    expect((await ask(person, accept, { token })).error).toBeUndefined()
  })

  it('can be shown while another request changes the account, and are locked only after the account', async () => {
    const { id, token } = await invite(admin, 'viewer', `waiting-${Date.now()}@example.com`)
    const password = 'correct horse battery staple'
    let accepting: Promise<{ status: number }> | undefined
    await app.db.transaction().execute(async (transaction) => {
      await sql`select from account where id = ${account.accountId} for no key update`.execute(transaction)
      expect((await openBrowser(app).auth('/invitation', { token })).status).toBe(200)
      accepting = openBrowser(app).auth('/accept-invitation', { token, password })
      await expect.poll(isWaiting, { timeout: 30_000 }).toBe(true)
      // This statement fails if the request has already locked the invitation.
      await sql`select from invitation where account_id = ${account.accountId} and id = ${id} for update nowait`.execute(
        transaction,
      )
      expect((await openBrowser(app).auth('/invitation', { token })).status).toBe(200)
    })
    expect((await accepting!).status).toBe(200)
  })

  async function isWaiting(): Promise<boolean> {
    const { rows } = await sql`
      select from ${sql.table(statActivity)} where datname = current_database() and wait_event_type = 'Lock'`.execute(
      app.db,
    )
    return rows.length > 0
  }

  it('are listed up to 200', async () => {
    await sql`
      insert into invitation (account_id, id, token_hash, role_id, created, expires, source)
      select ${account.accountId}, 'in_' || i, sha256((${account.accountId} || i)::bytea), 'viewer', now() - interval '7 days',
        now() - interval '1 day', '{"kind": "console"}'
      from generate_series(1, 201) as i`.execute(app.db)
    const { id } = await invite(admin)
    const { invitations } = (await done(admin, '{ login { invitations { id } } }')).login
    expect([invitations.length, invitations[0].id]).toEqual([200, id])
  })

  it('lose the old link when they are resent, and every link when they are deleted', async () => {
    const person = await newOutsider(app)
    const { id, token } = await invite(admin)
    const { resendInvitation } = await done(admin, 'mutation ($id: ID!) { resendInvitation(id: $id) { link } }', { id })
    expect((await ask(person, accept, { token })).error?.[0]).toBe('NOT_FOUND')
    expect(await eventsOf('INVITATION_CREATE')).toHaveLength(2)
    await done(admin, 'mutation ($id: ID!) { deleteInvitation(id: $id) }', { id })
    const fresh = resendInvitation.link.split('#')[1]
    expect((await ask(person, accept, { token: fresh })).error?.[0]).toBe('NOT_FOUND')
    expect((await done(admin, '{ login { invitations { id } } }')).login.invitations).toEqual([])
  })

  it('keep their original lifetime when they get a new link', async () => {
    const day = 86_400_000
    const expires = new Date(Date.now() + 2 * day).toISOString()
    const { createInvitation } = await done(admin, create, { roleId: 'viewer', expires })
    const resend = 'mutation ($id: ID!) { resendInvitation(id: $id) { created expires } }'
    for (let round = 0; round < 3; round++) {
      // Make the invitation a day older.
      const found = app.db.selectFrom('invitation').select(['created', 'expires']).where('id', '=', createInvitation.id)
      const times = await found.executeTakeFirstOrThrow()
      const earlier = (time: Date): Date => new Date(time.getTime() - day)
      const values = { created: earlier(times.created), expires: earlier(times.expires) }
      await app.db.updateTable('invitation').set(values).where('id', '=', createInvitation.id).execute()
      const { resendInvitation: resent } = await done(admin, resend, { id: createInvitation.id })
      const [created, until] = [Date.parse(resent.created), Date.parse(resent.expires)]
      expect(Date.now() - created).toBeLessThan(day / 2)
      expect(Math.abs(until - created - 2 * day)).toBeLessThan(day / 2)
    }
  })

  it('cannot grant more than the inviter has, and last at most 30 days', async () => {
    expect((await ask(admin, create, { roleId: 'owner' })).error).toEqual(['FORBIDDEN', 'exceeds-own-access'])
    expect((await ask(admin, create, { roleId: 'none' })).error?.[0]).toBe('NOT_FOUND')
    const late = new Date(Date.now() + 31 * 86_400_000).toISOString()
    expect((await ask(admin, create, { roleId: 'viewer', expires: late })).error?.[0]).toBe('BAD_USER_INPUT')
    expect((await ask(viewer, create, { roleId: 'viewer' })).error).toEqual(['FORBIDDEN', 'permission'])
  })

  it('show the link only once, and store only its hash', async () => {
    const { token } = await invite(admin)
    const { login } = await done(admin, '{ login { invitations { link createdBy { kind user { id email } } } } }')
    expect(login.invitations).toEqual([
      { link: null, createdBy: { kind: 'console', user: { id: admin.id, email: admin.email } } },
    ])
    const rows = await app.db.selectFrom('invitation').selectAll().where('account_id', '=', account.accountId).execute()
    expect(JSON.stringify(rows)).not.toContain(token)
  })
})
