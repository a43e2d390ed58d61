import { describe, expect, it } from 'vitest'
import { asMember, failure, keyOf, sendAsUser } from '../../../test/factories/keys.ts'
import { newMember } from '../../../test/factories/member.ts'
import { sharedTestApp } from '../../../test/harness/app.ts'

const app = sharedTestApp()

interface Need {
  field: string
  permission: string
}

const ask =
  'query ($document: String!, $operationName: String, $variables: Object) { login { needs(document: $document, operationName: $operationName, variables: $variables) { field permission } } }'

const needsOf = async (document: string, more: object = {}): Promise<Need[]> =>
  (await app.owner.data(ask, { document, ...more })).login.needs

const documents = [
  '{ login { id } }',
  '{ login { devices { total items { name attributes } } } }',
  '{ login { devices { total } webhooks { id } registrationCodes { id } } }',
  '{ login { events { total } members { role { id } } } }',
  '{ login { device(id: ["x"]) { events { total } } } }',
  'mutation { registerDevice(name: "gate", attributes: { site: "oslo" }) { secret } }',
  'mutation { createView(name: "v") { id usedBy { id } } }',
  'mutation { createAccessKey(personal: true, access: { permissions: [] }) { key } }',
  'mutation { createAccessKey(access: { permissions: [] }) { key } }',
  'mutation { updateAccount(name: "fleet") { id } }',
  'mutation { setAttributesMany(items: []) { code } }',
]

describe('the permissions that a document needs', () => {
  it.each(documents)('are sufficient for %s, and fewer permissions are not', async (document) => {
    const permissions = [...new Set((await needsOf(document)).map(({ permission }) => permission))]
    const without = permissions.map((each) => permissions.filter((other) => other !== each))
    const decisions = []
    const user = await app.createUser()
    for (const granted of [permissions, ...without]) {
      const key = await keyOf(app, sendAsUser(user), `access: { permissions: [${granted}] }`)
      const { reason } = failure(await key.query(document)) as { reason?: string }
      decisions.push(reason === 'permission' ? 'rejected' : 'allowed')
    }
    expect(decisions).toEqual(['allowed', ...without.map(() => 'rejected')])
  })

  it('depend on variables and the operation, and can be requested by a member with the role viewer', async () => {
    const register = `mutation ($attributes: Object) { registerDevice(name: "x", attributes: $attributes) { secret } }`
    const need = { field: 'Mutation.registerDevice', permission: 'DEVICE_CREATE' }
    expect(await needsOf(register)).toEqual([need])
    expect(await needsOf(register, { variables: { attributes: { site: 'oslo' } } })).toEqual([
      { ...need, permission: 'ATTRIBUTE_WRITE' },
      need,
    ])
    const two = 'query a { login { id } } query b { login { webhooks { id } } }'
    expect(await needsOf(two, { operationName: 'b' })).toEqual([
      { field: 'User.webhooks', permission: 'WEBHOOK_MANAGE' },
    ])
    const viewer = asMember(app, await newMember(app, app.owner.accountId, 'viewer'))
    const { data } = await viewer('{ login { needs(document: "{ login { webhooks { id } } }") { permission } } }')
    expect(data.login.needs).toEqual([{ permission: 'WEBHOOK_MANAGE' }])
  })

  it.each(['{ login { nothing } }', '{', 'query a { version } query b { version }'])(
    'rejects the invalid document %j',
    async (document) => {
      const { errors } = await app.owner.query(ask, { document })
      expect(errors?.[0]?.extensions.code).toBe('BAD_USER_INPUT')
      expect(errors?.[0]?.message).toMatch(/^document: /)
    },
  )
})
