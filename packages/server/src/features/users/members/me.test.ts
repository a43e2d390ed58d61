import { beforeEach, describe, expect, it } from 'vitest'
import { errorOf, newPerson, signIn } from '../../../../test/clients/browser.ts'
import type { TestMember } from '../../../../test/factories/member.ts'
import { ask, done, newTeam } from '../../../../test/factories/team.ts'
import { sharedTestApp, type TestUser, testUser } from '../../../../test/harness/app.ts'

const app = sharedTestApp()

let account: TestUser
let admin: TestMember
let viewer: TestMember
beforeEach(async () => {
  ;({ account, admin, viewer } = await newTeam(app))
})

describe('the field me', () => {
  const document = `{ me {
    person { id email } account { id } accounts { account { id } role { id } } grant { permissions } accessKey { key }
  } }`

  it('lists the accounts of a signed-in person and what the session may do', async () => {
    const { me } = await done(viewer, document)
    expect(me).toMatchObject({
      person: { id: viewer.id, email: viewer.email },
      account: { id: account.accountId },
      grant: { permissions: ['DEVICE_READ', 'EVENT_READ', 'KEY_OWN'] },
      accessKey: null,
    })
    // The person can have joined both accounts in the same millisecond, so the order is not checked.
    expect(me.accounts).toHaveLength(2)
    expect(me.accounts).toEqual(
      expect.arrayContaining([
        { account: { id: viewer.id }, role: { id: 'owner' } },
        { account: { id: account.accountId }, role: { id: 'viewer' } },
      ]),
    )
  })

  it('describes an access key', async () => {
    const { createAccessKey } = await account.data('mutation { createAccessKey { key secret } }')
    const { key: keyId, secret } = createAccessKey
    const { me } = await testUser(app.url, { ...account, keyId, secret }).data(document)
    expect(me.accessKey).toEqual({ key: keyId })
    expect(me.accounts).toEqual([{ account: { id: account.accountId }, role: { id: 'owner' } }])
    expect(me.grant.permissions).not.toContain('MEMBER_MANAGE')
    expect(me.grant.permissions).toContain('KEY_MANAGE')
  })

  it('responds to a person without an account, for whom login is null', async () => {
    const person = await newPerson(app)
    await app.db.deleteFrom('membership').where('person_id', '=', person.id).execute()
    const browser = await signIn(app, person)
    const { body } = await browser.query(
      `{ login { id } me { person { id } account { id } accounts { role { id } } grant { permissions } } }`,
    )
    expect(body).toEqual({
      data: { login: null, me: { person: { id: person.id }, account: null, accounts: [], grant: null } },
    })
    const create = await browser.query('mutation { createAccessKey { key } }')
    expect(errorOf(create)).toEqual([403, 'FORBIDDEN', 'permission'])
  })
})

describe('the account of a request', () => {
  it('is found with its ID or without an argument', async () => {
    const { login } = await account.data(
      `{ login { own: account(id: "${account.accountId}") { id } none: account { id } other: account(id: "${viewer.id}") { id } } }`,
    )
    expect(login).toEqual({ own: { id: account.accountId }, none: { id: account.accountId }, other: null })
  })

  it('has an address and a name', async () => {
    const update =
      'mutation ($email: String, $name: String) { updateAccount(email: $email, name: $name) { email name } }'
    expect((await ask(viewer, update, { name: 'Fleet' })).error).toEqual(['FORBIDDEN', 'permission'])
    const { updateAccount } = await done(admin, update, { email: 'fleet@example.com', name: 'Fleet' })
    expect(updateAccount).toEqual({ email: 'fleet@example.com', name: 'Fleet' })
    expect((await done(admin, update, { name: null })).updateAccount).toEqual({
      email: 'fleet@example.com',
      name: null,
    })
    const person = await app.db
      .selectFrom('person')
      .select('email')
      .where('id', '=', account.accountId)
      .executeTakeFirst()
    expect(person).toEqual({ email: account.email })
    await expect
      .poll(
        async () =>
          (await account.data('{ login { events(size: 1) { items { owner { email } } } } }')).login.events.items[0]
            .owner.email,
      )
      .toBe('fleet@example.com')
    expect((await ask(admin, update, { email: 'no address' })).error?.[0]).toBe('BAD_USER_INPUT')
  })
})
