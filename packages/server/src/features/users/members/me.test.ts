import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { simulate } from '../../../../test/api/simulations.ts'
import { errorOf, newPerson, signIn } from '../../../../test/clients/browser.ts'
import { asMember, keyOf } from '../../../../test/factories/keys.ts'
import type { TestMember } from '../../../../test/factories/member.ts'
import { ask, done, newTeam, setRole, type Team } from '../../../../test/factories/team.ts'
import { sharedTestApp, type TestUser, testUser } from '../../../../test/harness/app.ts'

const app = sharedTestApp()

let account: TestUser
let admin: TestMember
let owner: TestMember
let viewer: TestMember
let eventsOf: Team['eventsOf']
beforeEach(async () => {
  ;({ account, admin, owner, viewer, eventsOf } = await newTeam(app))
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
    // The person may have joined both accounts in the same millisecond, so the test does not check the order.
    expect(me.accounts).toHaveLength(2)
    expect(me.accounts).toEqual(
      expect.arrayContaining([
        { account: { id: viewer.id }, role: { id: 'owner' } },
        { account: { id: account.accountId }, role: { id: 'viewer' } },
      ]),
    )
  })

  it('returns the account of the request even if the list of accounts is too long to contain it', async () => {
    const others = Array.from({ length: 100 }, (_, index) => `${viewer.id}-${index}`)
    await app.db
      .insertInto('account')
      .values(others.map((id) => ({ id, email: `${id}@example.com`, founder_id: viewer.id })))
      .execute()
    const membership = { person_id: viewer.id, role_id: 'viewer', source: 'operator', created: new Date(0) }
    await app.db
      .insertInto('membership')
      .values(others.map((account_id) => ({ ...membership, account_id })))
      .execute()
    const { me } = await done(viewer, '{ me { account { id email } accounts { account { id } } } }')
    expect(me.account).toEqual({ id: account.accountId, email: account.email })
    expect(me.accounts).toHaveLength(100)
    expect(me.accounts).not.toContainEqual({ account: { id: account.accountId } })
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

  it('has an email address and a name, which an admin can change', async () => {
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

describe('console settings', () => {
  const set = (name: string, value: string | null, context?: string): string =>
    `mutation { setAttribute(serviceId: "${account.accountId}", name: "${name}", value: ${JSON.stringify(value)}${context ?? ''}) }`
  const together =
    'mutation ($id: String!, $attributes: Object!) { setAttributes(serviceId: $id, attributes: $attributes) }'
  const attributesOf = async (member: TestMember) => (await done(member, '{ login { attributes } }')).login.attributes

  it('belong to the signed-in person, or to the account if an access key sets them', async () => {
    await account.data(set('$ui.label', 'of the account'))
    await account.data(set('site', 'oslo'))
    await done(admin, set('$ui.label', 'of admin'))
    const ofOwner = { site: 'bergen', $ui: { label: 'of owner' } }
    const settings = await done(owner, together, { id: account.accountId, attributes: { $ui: ofOwner.$ui } })
    expect(settings.setAttributes).toEqual({ ...ofOwner, site: 'oslo' })
    const written = await done(owner, together, { id: account.accountId, attributes: { site: 'bergen' } })
    expect(written.setAttributes).toEqual(ofOwner)
    expect(await attributesOf(admin)).toEqual({ site: 'bergen', $ui: { label: 'of admin' } })
    expect(await attributesOf(owner)).toEqual(ofOwner)
    expect(await attributesOf(viewer)).toEqual({ site: 'bergen' })
    expect((await done(admin, '{ login { attribute(name: "$ui.label") } }')).login.attribute).toBe('of admin')
    const ofAccount = { site: 'bergen', $ui: { label: 'of the account' } }
    expect((await account.data('{ login { attributes } }')).login.attributes).toEqual(ofAccount)
    await done(owner, set('$ui', null))
    expect(await attributesOf(owner)).toEqual({ site: 'bergen' })
    // Changes to a person's settings create no events.
    const events = await eventsOf('ATTRIBUTE_CHANGE')
    expect(events).toHaveLength(3)
    for (const changes of [
      { '$ui.label': { old: null, new: 'of the account' } },
      { site: { old: null, new: 'oslo' } },
      { site: { old: 'oslo', new: 'bergen' } },
    ])
      expect(events).toContainEqual(expect.objectContaining({ data: { context: null, changes } }))
  })

  it('cannot be set in the same item as attributes of the account', async () => {
    const write = (attributes: object) =>
      ask(
        owner,
        `mutation ($id: String!, $attributes: Object!) {
          setAttributesMany(items: [{ serviceId: $id, attributes: $attributes }, { serviceId: $id, attributes: { rack: "1" } }]) {
            attributes code message
          }
        }`,
        { id: account.accountId, attributes },
      )
    const message =
      'items[0].attributes: $ui contains your own settings, but "site" is an attribute of the account: set them in separate requests'
    const label = { $ui: { label: 'mine' } }
    expect((await write({ ...label, site: 'oslo' })).data!.setAttributesMany).toEqual([
      { attributes: null, code: 'BAD_USER_INPUT', message },
      { attributes: { rack: '1' }, code: null, message: null },
    ])
    expect(await attributesOf(owner)).toEqual({ rack: '1' })
    expect((await write(label)).data!.setAttributesMany).toMatchObject([
      { attributes: { rack: '1', ...label } },
      { attributes: { rack: '1', ...label } },
    ])
  })

  it('do not wait for changes to the account', async () => {
    await app.db.transaction().execute(async (transaction) => {
      await sql`select from account where id = ${account.accountId} for update`.execute(transaction)
      const label = { $ui: { label: 'mine' } }
      const { setAttributes } = await done(owner, together, { id: account.accountId, attributes: label })
      expect(setAttributes).toEqual(label)
    })
  })

  it('follow the rules of attributes', async () => {
    const codeOf = async (document: string) => (await ask(admin, document)).error?.[0]
    expect(await codeOf(set('$ui', 'x'))).toBe('RESERVED_ATTRIBUTE')
    expect(await codeOf(set('$ui.a', 'x'.repeat(17_000)))).toBe('LIMIT_EXCEEDED')
    for (let index = 0; index < 8; index++) await ask(admin, set(`$ui.a${index}`, 'x'.repeat(8_000)))
    expect(await codeOf(set('$ui.b', 'x'.repeat(8_000)))).toBe('LIMIT_EXCEEDED')
  })

  it('can be saved by a person who can only read', async () => {
    const forbidden = ['FORBIDDEN', 'permission']
    await done(viewer, set('$ui.label', 'mine'))
    const settings = { $ui: { columns: '[]' }, '$ui.theme': 'dark' }
    await done(viewer, together, { id: account.accountId, attributes: settings })
    expect(await attributesOf(viewer)).toEqual({ $ui: { label: 'mine', columns: '[]', theme: 'dark' } })
    await done(viewer, set('$ui', null))
    expect(await attributesOf(viewer)).toEqual({})
    expect(await eventsOf('ATTRIBUTE_CHANGE')).toEqual([])

    // Any other change needs ATTRIBUTE_WRITE, even in the same document as a change to settings.
    expect((await ask(viewer, set('site', 'x'))).error).toEqual(forbidden)
    expect((await ask(viewer, set('$ui.label', 'x', ', context: "night"'))).error).toEqual(forbidden)
    const mixed = { $ui: { label: 'x' }, site: 'x' }
    expect((await ask(viewer, together, { id: account.accountId, attributes: mixed })).error).toEqual(forbidden)
    expect((await ask(viewer, together, { id: viewer.id, attributes: settings })).error).toEqual(forbidden)
    const twice = `mutation { one: ${set('$ui.label', 'x').slice(10, -1)} other: ${set('site', 'x').slice(10, -1)} }`
    expect((await ask(viewer, twice)).error).toEqual(forbidden)
    expect(await attributesOf(viewer)).toEqual({})

    // For a key, names in `$ui` refer to attributes of the account.
    const { createAccessKey } = await account.data(
      'mutation { createAccessKey(access: { permissions: [DEVICE_READ] }) { key secret } }',
    )
    const { key: keyId, secret } = createAccessKey
    const reader = testUser(app.url, { ...account, keyId, secret })
    expect((await reader.query(set('$ui.label', 'x'))).errors?.[0]?.extensions).toMatchObject({
      code: 'FORBIDDEN',
      missing: [{ field: 'Mutation.setAttribute', permission: 'ATTRIBUTE_WRITE' }],
    })
  })

  it('have no contexts and no times, and hide those of the account', async () => {
    const night = ', context: "night"'
    await account.data(set('$ui.label', 'of the account'))
    await account.data(set('$ui.label', 'of the account at night', night))
    await account.data(set('$ui.theme', 'dark', ', context: "evening"'))
    await account.data(set('site', 'oslo', night))
    const document = `{ login {
      attributes(context: "night") overrides(context: "night") contexts
      attributeInfo(context: "night") { name value setIn base }
      times: attributeInfo(names: ["$ui.label"]) { value changed confirmed isStale }
    } }`
    const site = { name: 'site', value: 'oslo', setIn: 'night', base: null }
    await done(admin, set('$ui.label', 'mine'))
    expect((await done(admin, document)).login).toEqual({
      attributes: { site: 'oslo', $ui: { label: 'mine' } },
      overrides: { site: 'oslo' },
      contexts: ['night'],
      attributeInfo: [{ name: '$ui.label', value: 'mine', setIn: null, base: null }, site],
      times: [{ value: 'mine', changed: null, confirmed: null, isStale: false }],
    })
    expect((await done(viewer, document)).login).toEqual({
      attributes: { site: 'oslo' },
      overrides: { site: 'oslo' },
      contexts: ['night'],
      attributeInfo: [site],
      times: [{ value: null, changed: null, confirmed: null, isStale: false }],
    })
    const { login } = await account.data(document)
    expect(login).toMatchObject({
      overrides: { site: 'oslo', $ui: { label: 'of the account at night' } },
      contexts: ['evening', 'night'],
      times: [{ value: 'of the account', changed: expect.any(String) }],
    })
    expect((await ask(admin, set('$ui.label', 'x', night))).error?.[0]).toBe('RESERVED_ATTRIBUTE')
  })

  it('need no permission in a simulation of a person or role, unlike in one of a key', async () => {
    const member = asMember(app, viewer)
    const { registerDevice } = await account.data('mutation { registerDevice(name: "gate") { device { id } } }')
    const allowed = async (access: string, id: string, name: string) => {
      const document = `mutation { setAttribute(serviceId: "${id}", name: "${name}", value: "x") }`
      return (await simulate(member, `${access}, document: ${JSON.stringify(document)}`)).allowed
    }
    for (const access of [`personId: "${viewer.id}"`, 'roleId: "viewer"']) {
      expect(await allowed(access, account.accountId, '$ui.label')).toBe(true)
      expect(await allowed(access, account.accountId, 'site')).toBe(false)
      expect(await allowed(access, registerDevice.device.id, '$ui.label')).toBe(false)
    }
    const personal = await keyOf(app, member, 'personal: true')
    expect(await allowed(`key: "${personal.keyId}"`, account.accountId, '$ui.label')).toBe(false)
  })

  it('can be saved by a person with a restricted role', async () => {
    const access =
      '{ permissions: [DEVICE_READ, ATTRIBUTE_WRITE], where: "attributes.site = oslo", attributes: { read: ["site"], write: ["site"] } }'
    const { createRole } = await done(owner, `mutation { createRole(name: "Oslo", access: ${access}) { id } }`)
    await done(owner, setRole, { personId: viewer.id, roleId: createRole.id })
    await done(viewer, set('$ui.label', 'mine'))
    expect(await attributesOf(viewer)).toEqual({ $ui: { label: 'mine' } })
    expect((await ask(viewer, set('site', 'x'))).error).toEqual(['FORBIDDEN', 'device'])
  })
})
