import { describe, expect, it } from 'vitest'
import { openStream } from '../../../test/clients/event-stream.ts'
import {
  asMember,
  failure,
  keyOf,
  NOTIFIED,
  readDevices,
  readWebhooks,
  type Sender,
  sendAsUser,
} from '../../../test/factories/keys.ts'
import { newMember } from '../../../test/factories/member.ts'
import { sharedTestApp } from '../../../test/harness/app.ts'
import { builtInRoles, namesIn } from '../../permissions.ts'

const app = sharedTestApp()

describe('a personal key', () => {
  it('can be created, listed, changed, and deleted with KEY_OWN, which gives no access to other keys', async () => {
    const user = await app.createUser()
    const viewer = asMember(app, await newMember(app, user.accountId, 'viewer'))
    const another = asMember(app, await newMember(app, user.accountId, 'viewer'))
    expect(failure(await viewer('mutation { createAccessKey { key } }'))).toMatchObject({
      reason: 'permission',
      missing: [{ field: 'Mutation.createAccessKey', permission: 'KEY_MANAGE' }],
    })
    const key = await keyOf(app, viewer, 'personal: true')
    expect(key.accessKey).toMatchObject({ kind: 'personal', permissions: namesIn(builtInRoles.viewer) })
    const list = async (send: Sender) =>
      (await send('{ login { accessKeys { key } } }')).data.login.accessKeys.map((each: { key: string }) => each.key)
    expect(await list(viewer)).toEqual([key.keyId])
    expect(await list(another)).toEqual([])
    expect(await list(sendAsUser(user))).toEqual([key.keyId, user.keyId])
    const rename = (id: string) => `mutation { updateAccessKey(key: "${id}", name: "mine") { name } }`
    const remove = (id: string) => `mutation { deleteAccessKey(key: "${id}") }`
    for (const document of [rename(user.keyId), remove(user.keyId), rename('MKNONE'), remove('MKNONE')])
      expect(failure(await viewer(document))).toEqual({ code: 'NOT_FOUND' })
    expect(failure(await another(remove(key.keyId)))).toEqual({ code: 'NOT_FOUND' })
    expect((await viewer(rename(key.keyId))).data).toEqual({ updateAccessKey: { name: 'mine' } })
    expect((await viewer(remove(key.keyId))).data).toEqual({ deleteAccessKey: true })
  })

  it("loses permissions with its creator's role, while an account key keeps them", async () => {
    const user = await app.createUser()
    const member = await newMember(app, user.accountId, 'admin')
    const [personal, account] = [
      await keyOf(app, asMember(app, member), 'personal: true'),
      await keyOf(app, asMember(app, member), 'name: "account"'),
    ]
    for (const key of [personal, account]) await key.data(readWebhooks)
    await user.data(`mutation { setMemberRole(personId: "${member.id}", roleId: "viewer") { source } }`)
    await expect.poll(async () => failure(await personal.query(readWebhooks)).reason, NOTIFIED).toBe('permission')
    expect((await personal.data(readDevices)).login.devices.total).toBe(0)
    await account.data(readWebhooks)

    const { createRole: role } = await user.data(
      'mutation { createRole(name: "Hooks", access: { permissions: [DEVICE_READ, WEBHOOK_MANAGE] }) { id } }',
    )
    await user.data(`mutation { setMemberRole(personId: "${member.id}", roleId: "${role.id}") { source } }`)
    await expect.poll(async () => (await personal.query(readWebhooks)).errors, NOTIFIED).toBeUndefined()
    await user.data(`mutation { updateRole(id: "${role.id}", access: { permissions: [DEVICE_READ] }) { id } }`)
    await expect.poll(async () => failure(await personal.query(readWebhooks)).reason, NOTIFIED).toBe('permission')
  })

  it('is deleted with the membership, and its streams and links end, while an account key keeps working', async () => {
    const user = await app.createUser()
    const member = await newMember(app, user.accountId, 'admin')
    const [personal, account] = [
      await keyOf(app, asMember(app, member), 'personal: true'),
      await keyOf(app, asMember(app, member), 'name: "account"'),
    ]
    const subscription = 'subscription { events { id } }'
    const stream = await openStream({ app, user: personal, query: subscription })
    const { login } = await personal.data('{ login { eventsUrl } }')
    expect((await fetch(login.eventsUrl)).status).toBe(200)
    await user.data(`mutation { removeMember(personId: "${member.id}") }`)
    await stream.ended
    await expect.poll(async () => (await personal.query(readDevices)).status, NOTIFIED).toBe(401)
    expect((await fetch(login.eventsUrl)).status).toBe(401)
    await account.data(readDevices)
    const events = await user.data('{ login { events(size: 2) { items { type } } } }')
    expect(events.login.events.items).toEqual([{ type: 'MEMBER_LEAVE' }, { type: 'ACCESS_KEY_DELETE' }])
  })

  it('is rejected with the reason key-member while its creator is disabled', async () => {
    const user = await app.createUser()
    const member = await newMember(app, user.accountId, 'operator')
    const key = await keyOf(app, asMember(app, member), 'personal: true')
    await app.db.updateTable('person').set({ disabled: new Date() }).where('id', '=', member.id).execute()
    const { errors } = await key.query(readDevices)
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'UNAUTHENTICATED', reason: 'key-member' })
    const { login } = await user.data('{ login { accessKeys { key suspended } } }')
    expect(login.accessKeys).toContainEqual({ key: key.keyId, suspended: 'member' })
  })
})
