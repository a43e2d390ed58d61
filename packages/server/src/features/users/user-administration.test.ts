import { sql } from 'kysely'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { errorOf, newPerson, openBrowser, signIn } from '../../../test/clients/browser.ts'
import { connectMqtt, nextEvent, registerDevice } from '../../../test/clients/mqtt-device.ts'
import { insertAccount } from '../../../test/factories/account.ts'
import { addMember, newMember } from '../../../test/factories/member.ts'
import { seedDevices } from '../../../test/factories/seed-devices.ts'
import { done } from '../../../test/factories/team.ts'
import { sharedTestApp, startTestApp, type TestApp, type TestUser } from '../../../test/harness/app.ts'
import { disableUser, enableUser, findUser, listUsers } from './user-administration.ts'
import { removeUser } from './user-removal.ts'

const log = pino({ level: 'silent' })

const app = sharedTestApp({ mqtt: true })
let other: TestApp
beforeAll(async () => {
  other = await app.startAnother({ mqtt: true })
})
afterAll(() => other.close())

const reasonOf = async (user: TestUser): Promise<unknown> => {
  const { status, errors } = await user.query('{ login { email } }')
  return [status, errors?.[0]?.extensions.code, errors?.[0]?.extensions.reason]
}
const working = [200, undefined, undefined]
const disabled = [401, 'UNAUTHENTICATED', 'user-disabled']
const mqttOf = ({ mqttPort }: TestApp): string => `mqtt://127.0.0.1:${mqttPort}`

it('rejects the access keys of a disabled user until the user is enabled', async () => {
  const [user, otherUser] = [await app.createUser(), await app.createUser()]
  expect(await reasonOf(user)).toEqual(working)
  await disableUser(app.db, user.email.toUpperCase(), new Date())
  await expect.poll(() => reasonOf(user)).toEqual(disabled)
  expect(await reasonOf(otherUser)).toEqual(working)
  await enableUser(app.db, user.email)
  await expect.poll(() => reasonOf(user)).toEqual(working)
})

it('ends the sessions of a disabled user, and reveals the disabled state only for the correct password', async () => {
  const person = await newPerson(app)
  const browser = await signIn(app, person)
  expect((await disableUser(app.db, person.email, new Date())).sessions).toBe(1)
  expect(errorOf(await browser.query('{ login { email } }'))).toEqual([401, 'UNAUTHENTICATED', 'session-ended'])
  const { email, password } = person
  const right = await openBrowser(app).auth('/sign-in/email', { email, password })
  expect(errorOf(right)).toEqual(disabled)
  const wrong = await openBrowser(app).auth('/sign-in/email', { email, password: 'not the password' })
  expect(errorOf(wrong)).toEqual([401, 'UNAUTHENTICATED', 'wrong-password'])
})

it('disconnects the devices of a disabled user on another server, and no other devices', async () => {
  const [user, otherUser] = [await app.createUser(), await app.createUser()]
  const [device, another] = [await registerDevice(user), await registerDevice(otherUser)]
  const client = await connectMqtt(mqttOf(other), device)
  const unaffected = await connectMqtt(mqttOf(other), another)
  const closed = nextEvent(client, 'close')
  await disableUser(app.db, user.email, new Date())
  await closed
  await expect(connectMqtt(mqttOf(app), device)).rejects.toMatchObject({ code: 4 })
  expect(unaffected.connected).toBe(true)
  await enableUser(app.db, user.email)
  expect((await connectMqtt(mqttOf(app), device)).connected).toBe(true)
})

it('rejects the registration codes of a disabled user', async () => {
  const user = await app.createUser()
  const { createRegistrationCode } = await user.data('mutation { createRegistrationCode(uses: 5) { code } }')
  const register = async (hardwareId: string): Promise<number> => {
    const body = JSON.stringify({ code: createRegistrationCode.code, hardwareId })
    return (await fetch(`${app.url}/devices/v1/register`, { method: 'POST', body })).status
  }
  expect(await register('first')).toBe(200)
  await disableUser(app.db, user.email, new Date())
  expect(await register('second')).toBe(401)
})

it('lists users with their counts and disabled state', async () => {
  const user = await app.createUser()
  await seedDevices(app.db, user.accountId, [{}, {}])
  await disableUser(app.db, user.email, new Date())
  const found = (await listUsers(app.db)).find(({ id }) => id === user.accountId)
  expect(found).toMatchObject({ email: user.email, devices: 2, accessKeys: 1, sessions: 0, disabled: expect.any(Date) })
})

it("removes all rows of a user's account if withAccounts is set, and no others", async () => {
  const [user, otherUser] = [await app.createUser(), await app.createUser()]
  for (const each of [user, otherUser]) {
    const ids = await seedDevices(
      app.db,
      each.accountId,
      Array.from({ length: 1_200 }, () => ({ attributes: { site: 'oslo' } })),
    )
    const set =
      'mutation ($id: String!, $context: String) { setAttribute(serviceId: $id, name: "rack", value: "1", context: $context) }'
    await each.data(set, { id: ids[0] })
    await each.data(set, { id: ids[0], context: 'night' })
    await each.data('{ login { attributeNames { name } } }')
  }
  const progress: number[] = []
  const options = { now: new Date(), log, onProgress: (rows: number) => progress.push(rows) }
  await expect(removeUser(app.db, user.email, options)).rejects.toMatchObject({
    code: 'CONFLICT',
    details: { reason: 'last-owner' },
  })
  expect(await reasonOf(user)).toEqual(working)
  await removeUser(app.db, user.email, { ...options, withAccounts: true })
  expect(progress.length).toBeGreaterThan(2)
  expect(await rowsOf(user)).toEqual({})
  expect(await rowsOf(otherUser)).toMatchObject({ device: 1_200, event: 3, attribute_override: 1, access_key: 1 })
  const [status, code] = (await reasonOf(user)) as unknown[]
  expect([status, code]).toEqual([401, 'UNAUTHENTICATED'])
  const document =
    '{ login { events(types: USER_REMOVE) { items { actor { id } source { kind } target { id name kind } data } } } }'
  // Other tests in this file also remove users.
  const removals: { target: { id: string }[] }[] = (await app.owner.data(document)).login.events.items
  expect(removals.filter(({ target }) => target.some(({ id }) => id === user.accountId))).toEqual([
    {
      actor: null,
      source: { kind: 'server' },
      target: [{ id: user.accountId, name: user.email, kind: 'user' }],
      data: {},
    },
  ])
  expect((await otherUser.data(document)).login.events.items).toEqual([])
})

it('throws NOT_FOUND for an unknown user', async () => {
  for (const change of [disableUser, enableUser]) {
    await expect(change(app.db, 'unknown@example.com', new Date())).rejects.toMatchObject({ code: 'NOT_FOUND' })
  }
  await expect(removeUser(app.db, 'unknown@example.com', { now: new Date(), log })).rejects.toMatchObject({
    code: 'NOT_FOUND',
  })
})

it('does not remove the last user', async () => {
  const alone = await startTestApp()
  try {
    await expect(
      removeUser(alone.db, alone.owner.email, { now: new Date(), log, withAccounts: true }),
    ).rejects.toMatchObject({
      code: 'CONFLICT',
    })
    expect(await reasonOf(alone.owner)).toEqual(working)
  } finally {
    await alone.close()
  }
})

it('removes a user from the accounts of others, and keeps an account that has another owner', async () => {
  const [account, founder] = [await app.createUser(), await newPerson(app)]
  await addMember(app, { accountId: founder.id, personId: account.accountId, roleId: 'owner' })
  await app.db.updateTable('person').set({ password_hash: 'x' }).where('id', '=', account.accountId).execute()
  await addMember(app, { accountId: account.accountId, personId: founder.id, roleId: 'viewer' })
  const browser = await signIn(app, founder)
  const inAccount = { headers: { 'muster-account': account.accountId } }
  const create = 'mutation { createAccessKey(personal: true) { key } }'
  const { key } = (await browser.query(create, {}, inAccount)).body.data.createAccessKey

  await removeUser(app.db, founder.email, { now: new Date(), log })
  const again = await openBrowser(app).auth('/sign-in/email', { email: founder.email, password: founder.password })
  expect(errorOf(again)).toEqual([401, 'UNAUTHENTICATED', 'wrong-password'])
  expect((await listUsers(app.db)).some(({ id }) => id === founder.id)).toBe(false)
  const document = `{ login { accessKeys(key: ["${key}"]) { key }
    events(types: [ACCESS_KEY_CREATE, ACCESS_KEY_DELETE, MEMBER_LEAVE]) { items { type actor { id email } data } } } }`
  const { login } = await account.data(document)
  expect(login.accessKeys).toEqual([])
  expect(login.events.items).toMatchObject([
    { type: 'MEMBER_LEAVE', actor: null, data: { email: founder.email, role: 'viewer' } },
    { type: 'ACCESS_KEY_DELETE', actor: null },
    { type: 'ACCESS_KEY_CREATE', actor: { id: founder.id, email: founder.email } },
    { type: 'ACCESS_KEY_CREATE' },
  ])
  // The founder's account keeps its contact address, and another person can use the founder's email address.
  const { rows } = await sql`select contact_email, email, password_hash from account where id = ${founder.id}`.execute(
    app.db,
  )
  expect(rows).toEqual([{ contact_email: founder.email, email: `${founder.id}@account.invalid`, password_hash: null }])
  const values = { id: `again-${founder.id}`, email: founder.email }
  await insertAccount(app.db, values)
  expect(await findUser(app.db, founder.email)).toMatchObject({ id: values.id })
})

it('forgets the address of an erased user, except in stored events', async () => {
  const [account, person] = [await app.createUser(), await newPerson(app)]
  await addMember(app, { accountId: person.id, personId: account.accountId, roleId: 'owner' })
  await app.db.updateTable('person').set({ password_hash: 'x' }).where('id', '=', account.accountId).execute()
  await addMember(app, { accountId: account.accountId, personId: person.id, roleId: 'admin' })
  const browser = await signIn(app, person)
  const inAccount = { headers: { 'muster-account': account.accountId } }
  await browser.query('mutation { createAccessKey(name: "stays") { key } }', {}, inAccount)
  await removeUser(app.db, person.email, { now: new Date(), log, erase: true })
  const erased = `removed-${person.id}@invalid`
  const { login } = await account.data('{ login { events { items { type actor { email } target { name } data } } } }')
  // Stored events are not rewritten, so this check omits the event of the sign-in, which contains the address.
  expect(login.events.items.slice(0, 3)).toMatchObject([
    { type: 'MEMBER_LEAVE', target: [{ name: erased }], data: { email: erased } },
    { type: 'USER_DISABLE', target: [{ name: erased }] },
    { type: 'ACCESS_KEY_CREATE', actor: { email: erased } },
  ])
  expect(JSON.stringify(login.events.items.slice(0, 3))).not.toContain(person.email)
  for (const table of ['person', 'account', 'membership'] as const) {
    const { rows } = await sql`select to_jsonb(found)::text as text from ${sql.table(table)} as found`.execute(app.db)
    expect(JSON.stringify(rows)).not.toContain(person.email)
  }
})

it('returns no person for an access key whose creator was removed', async () => {
  const account = await app.createUser()
  await ownerOf(account)
  const document = '{ me { person { email } } }'
  expect((await account.data(document)).me.person).toEqual({ email: account.email })
  await removeUser(app.db, account.email, { now: new Date(), log })
  expect((await account.data(document)).me.person).toBeNull()
})

it('does not leave an account without an owner who can sign in', async () => {
  const [account, founder] = [await app.createUser(), await newPerson(app)]
  await addMember(app, { accountId: account.accountId, personId: founder.id, roleId: 'owner' })
  // The account's founder has no way to sign in.
  const remove = (withAccounts: boolean) => removeUser(app.db, founder.email, { now: new Date(), log, withAccounts })
  const conflict = {
    code: 'CONFLICT',
    details: { reason: 'last-owner' },
    message: expect.stringContaining(account.email),
  }
  await expect(remove(false)).rejects.toMatchObject(conflict)
  expect(await reasonOf(account)).toEqual(working)
  await remove(true)
  expect(await rowsOf(account)).toEqual({})
})

it('finds and removes a user who did not found an account', async () => {
  const account = await app.createUser()
  const email = `joined-${account.accountId}@example.com`
  const { createInvitation } = await ownerOf(account).then((owner) =>
    done(owner, `mutation { createInvitation(roleId: "viewer", email: "${email}") { link } }`),
  )
  const password = 'correct horse battery staple'
  const token = createInvitation.link.split('#')[1]
  const browser = openBrowser(app)
  expect((await browser.auth('/accept-invitation', { token, password })).status).toBe(200)
  expect(await findUser(app.db, email.toUpperCase())).toMatchObject({ email, devices: 0, accessKeys: 0 })
  await removeUser(app.db, email, { now: new Date(), log })
  const again = await openBrowser(app).auth('/sign-in/email', { email, password })
  expect(errorOf(again)).toEqual([401, 'UNAUTHENTICATED', 'wrong-password'])
  expect(await reasonOf(account)).toEqual(working)
})

it('finds a user by the address of the account, unless several accounts have it', async () => {
  const [user, another] = [await app.createUser(), await app.createUser()]
  const address = `fleet-${user.accountId}@example.com`
  const rename = async (account: TestUser) =>
    done(await ownerOf(account), `mutation { updateAccount(email: "${address}") { id } }`)
  await rename(user)
  expect(await findUser(app.db, address.toUpperCase())).toMatchObject({ id: user.accountId, accessKeys: 1 })
  await disableUser(app.db, user.email, new Date())
  await enableUser(app.db, address)
  await rename(another)
  await expect(disableUser(app.db, address, new Date())).rejects.toMatchObject({ code: 'CONFLICT' })
  expect(await reasonOf(another)).toEqual(working)
})

const ownerOf = ({ accountId }: TestUser) => newMember(app, accountId, 'owner')

/** Returns the number of the account's rows in each table. Omits tables without such rows. */
async function rowsOf({ accountId }: TestUser): Promise<Record<string, number>> {
  const tables = await app.db.introspection.getTables()
  const found: Record<string, number> = {}
  for (const { name, columns } of tables) {
    const column = name === 'account' ? 'id' : 'account_id'
    if (!columns.some((each) => each.name === column) || /^event_\d/.test(name)) continue
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from ${sql.table(name)} where ${sql.ref(column)} = ${accountId}`.execute(app.db)
    if (rows[0]!.count > 0) found[name] = rows[0]!.count
  }
  return found
}
