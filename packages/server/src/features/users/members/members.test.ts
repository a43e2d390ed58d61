import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Person } from '../../../../test/clients/browser.ts'
import { openStreamOf } from '../../../../test/clients/session-stream.ts'
import { whilePreviousReleaseRuns } from '../../../../test/database/previous-release.ts'
import { addMember, newMember, removeMembership, type TestMember } from '../../../../test/factories/member.ts'
import { ask, done, newTeam, setRole, type Team } from '../../../../test/factories/team.ts'
import { sharedTestApp, type TestApp, type TestUser, testUser } from '../../../../test/harness/app.ts'

const app = sharedTestApp()
let other: TestApp
beforeAll(async () => {
  other = await app.startAnother()
})
afterAll(() => other.close())

let account: TestUser
let owner: TestMember
let admin: TestMember
let viewer: TestMember
let eventsOf: Team['eventsOf']
beforeEach(async () => {
  ;({ account, owner, admin, viewer, eventsOf } = await newTeam(app))
})

const remove = 'mutation ($personId: ID!) { removeMember(personId: $personId) }'
const leave = 'mutation { leaveAccount }'

describe('members', () => {
  it('are listed with their roles', async () => {
    const { login } = await done(
      admin,
      '{ login { members { person { id email } role { id name builtIn } source accountKeys } } }',
    )
    const roles = new Map(
      login.members.map((each: { person: Person; role: { id: string } }) => [each.person.id, each.role.id]),
    )
    expect(roles.get(owner.id)).toBe('owner')
    expect(roles.get(viewer.id)).toBe('viewer')
    // The founder, who has no password, owns the account.
    expect(roles.get(account.accountId)).toBe('owner')
    expect((await ask(viewer, '{ login { members { source } } }')).error).toEqual(['FORBIDDEN', 'permission'])
  })

  it('receive another role, which applies to their next request', async () => {
    expect((await ask(viewer, '{ login { registrationCodes { id } } }')).status).toBe(403)
    await done(admin, setRole, { personId: viewer.id, roleId: 'operator' })
    expect((await ask(viewer, '{ login { registrationCodes { id } } }', {}, other)).error).toBeUndefined()
    expect(await eventsOf('MEMBER_UPDATE')).toMatchObject([
      {
        actor: { id: admin.id },
        target: [{ id: viewer.id, name: viewer.email, kind: 'person' }],
        data: { email: viewer.email, source: 'operator', role: { old: 'viewer', new: 'operator' } },
      },
    ])
  })

  it('include a founder with a lower role only if no server of the previous release is running', async () => {
    const founder = { personId: account.accountId, roleId: 'viewer' }
    await whilePreviousReleaseRuns(app, async () => {
      expect((await ask(owner, setRole, founder)).error?.[0]).toBe('UNAVAILABLE')
      await done(admin, setRole, { personId: viewer.id, roleId: 'operator' })
    })
    expect(await eventsOf('MEMBER_UPDATE')).toMatchObject([{ target: [{ id: viewer.id }] }])
    expect((await done(owner, setRole, founder)).setMemberRole.role.id).toBe('viewer')
  })

  it('cannot add, change, or remove owners unless they are owners themselves', async () => {
    for (const [document, variables] of [
      [setRole, { personId: viewer.id, roleId: 'owner' }],
      [setRole, { personId: owner.id, roleId: 'viewer' }],
      [remove, { personId: owner.id }],
    ] as const)
      expect((await ask(admin, document, variables)).error).toEqual(['FORBIDDEN', 'exceeds-own-access'])
    expect(await eventsOf('MEMBER_UPDATE, MEMBER_LEAVE')).toEqual([])
    await done(owner, setRole, { personId: viewer.id, roleId: 'owner' })
    await done(owner, remove, { personId: viewer.id })
  })

  it('lose access after their removal, even on another server', async () => {
    const member = await newMember(app, account.accountId, 'operator')
    const personal = await newPersonalKey(member)
    const { login } = await done(member, '{ login { eventsUrl } }')
    const link = login.eventsUrl.replace(app.url, other.url)
    const stream = await openStreamOf(other, { ...member.headers, origin: other.url })
    expect([stream.status, (await fetch(link)).status]).toEqual([200, 200])
    expect((await personal.query('{ login { id } }')).errors).toBeUndefined()

    const removed = Date.now()
    await done(admin, remove, { personId: member.id })
    expect((await ask(member, '{ login { id } }', {}, other)).error).toEqual(['FORBIDDEN', 'not-a-member'])
    expect((await fetch(link)).status).toBe(401)
    await expect
      .poll(async () => (await personal.query('{ login { id } }')).errors?.[0]?.extensions.code, { interval: 20 })
      .toBe('UNAUTHENTICATED')
    expect(await stream.ended).toContain('not-a-member')
    console.log(
      `the stream and the personal key of a removed member ended on another server after ${Date.now() - removed} ms`,
    )
    expect(await eventsOf('MEMBER_LEAVE, ACCESS_KEY_DELETE')).toMatchObject([
      { actor: { id: admin.id }, data: { email: member.email, role: 'operator', source: 'operator', keys: 0 } },
      { actor: { id: admin.id }, target: [{ kind: 'accessKey' }] },
    ])
  })

  async function newPersonalKey(member: TestMember): Promise<TestUser> {
    const { createAccessKey: created } = await done(
      member,
      'mutation { createAccessKey(personal: true) { key secret } }',
    )
    return testUser(other.url, { ...account, keyId: created.key, secret: created.secret })
  }

  it('leave their account keys behind, which disableKeys disables', async () => {
    const create = 'mutation { createAccessKey(name: "x") { key } }'
    const keys = [await done(admin, create), await done(admin, create)].map(
      ({ createAccessKey }) => createAccessKey.key,
    )
    const document = '{ login { members { person { id } accountKeys } accessKeys { key enabled } } }'
    const before = (await done(owner, document)).login
    expect(before.members).toContainEqual({ person: { id: admin.id }, accountKeys: 2 })
    const disable = 'mutation ($id: ID!) { removeMember(personId: $id, disableKeys: true) }'
    await done(owner, disable, { id: admin.id })
    const after = (await done(owner, document)).login.accessKeys
    for (const key of keys) expect(after).toContainEqual({ key, enabled: false })
    expect(after).toContainEqual({ key: account.keyId, enabled: true })
  })

  it('count as the creators of keys without a recorded creator if they founded the account', async () => {
    await app.db.updateTable('access_key').set({ made_by: null }).where('key', '=', account.keyId).execute()
    const document = '{ login { members { person { id } accountKeys } accessKeys { key enabled } } }'
    const founder = { person: { id: account.accountId }, accountKeys: 1 }
    expect((await done(owner, document)).login.members).toContainEqual(founder)
    const disable = 'mutation ($id: ID!) { removeMember(personId: $id, disableKeys: true) }'
    await done(owner, disable, { id: account.accountId })
    expect((await done(owner, document)).login.accessKeys).toEqual([{ key: account.keyId, enabled: false }])
    const { login } = await done(owner, '{ login { events(size: 2) { items { type data } } } }')
    expect(login.events.items).toMatchObject([
      { type: 'MEMBER_LEAVE', data: { keys: 1 } },
      { type: 'ACCESS_KEY_UPDATE', data: { changes: { enabled: { old: true, new: false } } } },
    ])
  })

  it('can leave the account, except the last owner who can sign in', async () => {
    await done(viewer, leave)
    expect(await eventsOf('MEMBER_LEAVE')).toMatchObject([{ actor: { id: viewer.id }, data: { self: true } }])
    // The founder has no password, so the other owner is the last one who can sign in.
    expect((await ask(owner, leave)).error).toEqual(['CONFLICT', 'last-owner'])
    expect((await ask(owner, setRole, { personId: owner.id, roleId: 'admin' })).error).toEqual([
      'CONFLICT',
      'last-owner',
    ])
    const { errors } = await account.query(leave)
    expect(errors?.[0]?.extensions.code).toBe('FORBIDDEN')
  })

  it('always include an owner, even if two owners leave or demote each other at the same time', async () => {
    const second = await newMember(app, account.accountId, 'owner')
    const pair = [owner, second] as const
    for (let round = 0; round < 100; round++) {
      const attempts =
        round % 2 === 0
          ? pair.map((each) => ask(each, leave))
          : pair.map((each, index) => ask(each, setRole, { personId: pair[1 - index]!.id, roleId: 'admin' }))
      const answers = await Promise.all(attempts)
      expect(answers.filter(({ error }) => error === undefined)).toHaveLength(1)
      expect(await ownersOf([owner.id, second.id])).toHaveLength(1)
      for (const each of pair) {
        const membership = { accountId: account.accountId, personId: each.id }
        await removeMembership(app, membership)
        await addMember(app, { ...membership, roleId: 'owner' })
      }
    }
  })

  const ownersOf = (people: string[]): Promise<unknown[]> =>
    app.db
      .selectFrom('membership')
      .select('person_id')
      .where('account_id', '=', account.accountId)
      .where('role_id', '=', 'owner')
      .where('person_id', 'in', people)
      .execute()
})
