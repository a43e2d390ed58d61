import { type FieldNode, type GraphQLInputObjectType, parse, TypeInfo, visit, visitWithTypeInfo } from 'graphql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { namesIn, neverRestricted, permissionNames } from '../../src/permissions.ts'
import { buildSchema } from '../../src/schema.ts'
import { addMember, newMember, removeMembership, type TestMember } from '../factories/member.ts'
import { startTestApp, type TestApp } from '../harness/app.ts'
import type { Receiver } from '../harness/webhook-receiver.ts'
import { rowsWithoutUsage } from './account-rows.ts'
import { type Caller, newKey, sendDocument, withKey, withSession } from './callers.ts'
import { mutationCalls } from './mutation-calls.ts'
import {
  allowLocalWebhooks,
  createOwnedObjects,
  nonexistentObjects,
  type OwnedObjects,
  startFailingReceiver,
} from './owned-objects.ts'
import { granted, isClosedToRestricted, needsOf } from './permission-table.ts'
import { everyField, type FieldRequest } from './type-queries.ts'

const schema = buildSchema()

let app: TestApp
let receiver: Receiver
let own: OwnedObjects
let callers: Record<string, Caller>
let members: Record<string, TestMember>
beforeAll(async () => {
  app = await startTestApp({ env: allowLocalWebhooks })
  receiver = await startFailingReceiver()
  own = await createOwnedObjects(app.owner, receiver)
  const { accountId } = app.owner
  const roles = ['viewer', 'operator', 'admin', 'owner']
  members = Object.fromEntries(
    await Promise.all(roles.map(async (role) => [role, await newMember(app, accountId, role)] as const)),
  )
  const removed = await newMember(app, accountId, 'owner')
  await removeMembership(app, { accountId, personId: removed.id })
  const outsider = await withSession(app, await app.createUser())
  callers = {
    ...Object.fromEntries(roles.map((role) => [role, { headers: members[role]!.headers }])),
    defaultKey: await newKey(app.owner),
    readOnlyKey: await newKey(app.owner, ', readOnly: true'),
    scopedKey: await newKey(app.owner, `, access: { permissions: [${granted.scopedKey}] }`),
    restrictedKey: await newKey(app.owner, `, access: { where: "attributes.${own.attribute}:*" }`),
    removedMember: { headers: removed.headers },
    outsider: { headers: { ...outsider.headers, 'muster-account': accountId } },
  }
})
afterAll(async () => {
  await app.close()
  await receiver.close()
})

const leaves = ({ field }: FieldRequest): boolean => field === 'Mutation.leaveAccount'

/** The request that makes the caller leave the account runs last. */
const fields = everyField(schema).toSorted((one, other) => Number(leaves(one)) - Number(leaves(other)))

/** Mutations name objects that do not exist, so they do not change the objects in `own`. */
const documentOf = ({ field, document }: FieldRequest): string =>
  document(field.startsWith('Mutation.') ? nonexistentObjects(own) : own)

function visitFields(document: string, visitField: (field: string, node: FieldNode) => void): void {
  const info = new TypeInfo(schema)
  visit(
    parse(document),
    visitWithTypeInfo(info, {
      Field(node) {
        const type = info.getParentType()?.name ?? ''
        if (!node.name.value.startsWith('__')) visitField(`${type}.${node.name.value}`, node)
      },
    }),
  )
}

function fieldsIn(document: string): string[] {
  const fields: string[] = []
  visitFields(document, (field) => fields.push(field))
  return fields
}

function documentNeeds(document: string): string[][] {
  const needs: string[][] = []
  visitFields(document, (field, node) => {
    needs.push(...needsOf(field))
    const takesAttributes = ['Mutation.registerDevice', 'Mutation.createRegistrationCode'].includes(field)
    const hasAttributes = node.arguments?.some(({ name }) => name.value === 'attributes')
    if (takesAttributes && hasAttributes) needs.push(['ATTRIBUTE_WRITE'])
    if (field === 'User.simulate') needs.push(['KEY_MANAGE'])
  })
  return needs
}

type Decision = 'allowed' | 'permission' | 'not-a-member' | 'read-only' | 'device'

function expected(caller: string, document: string): Decision {
  if (caller === 'removedMember' || caller === 'outsider') return 'not-a-member'
  const isMutation = document.startsWith('mutation')
  if (caller === 'readOnlyKey') return isMutation ? 'read-only' : 'allowed'
  const has: readonly string[] = granted[caller as keyof typeof granted]
  const isPermitted = documentNeeds(document).every((anyOf) => anyOf.some((permission) => has.includes(permission)))
  if (!isPermitted) return 'permission'
  return caller === 'restrictedKey' && fieldsIn(document).some(isClosedToRestricted) ? 'device' : 'allowed'
}

async function decide(caller: Caller, document: string): Promise<{ decision: Decision; body: unknown }> {
  const { status, body } = await sendDocument(app, caller, document)
  const [error] = body.errors ?? []
  const { code, reason } = error?.extensions ?? {}
  const isDecision = reason === 'permission' || reason === 'not-a-member'
  // If the response contains data, the field was allowed, and the server rejected only its use on the device.
  const isClosed = reason === 'device' && body.data === undefined
  if (code !== 'FORBIDDEN' || !(isDecision || isClosed)) {
    const isReadOnly = code === 'FORBIDDEN' && /read-only/.test(error.message)
    return { decision: isReadOnly ? 'read-only' : 'allowed', body }
  }
  expect(status).toBe(403)
  expect(body.data).toBeUndefined()
  return { decision: reason, body }
}

/** Restores a person's membership, which a request may have ended. */
async function rejoin(roleId: string): Promise<void> {
  const membership = { accountId: app.owner.accountId, personId: members[roleId]!.id }
  await removeMembership(app, membership)
  await addMember(app, { ...membership, roleId })
}

describe('a field of the API', () => {
  it('is allowed according to the permissions of the caller', async () => {
    const untouched = await rowsWithoutUsage(app.db, own.userId)
    const wrong: string[] = []
    const figures: Record<string, Record<string, number>> = {}
    for (const [name, caller] of Object.entries(callers)) {
      const counts: Record<string, number> = {}
      figures[name] = counts
      for (const request of fields) {
        const { field } = request
        const document = documentOf(request)
        const { decision } = await decide(caller, document)
        const right = expected(name, document)
        counts[decision] = (counts[decision] ?? 0) + 1
        if (decision !== right) wrong.push(`${name} ${field}: ${decision}, not ${right}`)
      }
      if (name in members) await rejoin(name)
      if (name === 'removedMember' || name === 'outsider') expect(counts).toEqual({ 'not-a-member': fields.length })
    }
    const decisions = fields.length * Object.keys(callers).length
    console.log(`authorization matrix: ${fields.length} fields, ${decisions} decisions, ${wrong.length} wrong`)
    console.table(figures)
    expect(wrong).toEqual([])
    const { device } = untouched
    expect((await rowsWithoutUsage(app.db, own.userId)).device?.length).toBeGreaterThanOrEqual(device!.length)
  })

  it('changes nothing if the caller lacks a permission', async () => {
    const before = await rowsWithoutUsage(app.db, own.userId)
    for (const field of Object.keys(mutationCalls)) {
      const document = mutationCalls[field]!.plain(own)
      if (expected('viewer', document) === 'allowed') continue
      const { decision, body } = await decide(callers.viewer!, document)
      expect([field, decision]).toEqual([field, 'permission'])
      expect(body).toMatchObject({
        errors: [
          {
            extensions: {
              reason: 'permission',
              missing: expect.arrayContaining([{ field, permission: expect.any(String) }]),
            },
          },
        ],
      })
    }
    expect(await rowsWithoutUsage(app.db, own.userId)).toEqual(before)
  })
})

describe('the permission check of a document', () => {
  let viewer: Caller
  const missingOf = async (document: string, variables: object = {}): Promise<unknown> => {
    const response = await fetch(`${app.url}/graphql/v1`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...viewer.headers },
      body: JSON.stringify({ query: document, variables }),
    })
    const { errors } = (await response.json()) as { errors?: { extensions: { missing?: unknown } }[] }
    return errors?.[0]?.extensions.missing
  }
  beforeAll(() => {
    viewer = callers.viewer!
  })

  it('names every missing permission', async () => {
    const document = '{ login { devices { total } webhooks { id } registrationCodes { id } accessKeys { key } } }'
    expect(await missingOf(document)).toEqual([
      { field: 'User.registrationCodes', permission: 'DEVICE_CREATE' },
      { field: 'User.webhooks', permission: 'WEBHOOK_MANAGE' },
    ])
  })

  it('applies @skip and @include, even on fragments', async () => {
    const document = `query ($with: Boolean!) {
      login { id webhooks @include(if: $with) { id } ... @skip(if: $with) { ...Codes } }
    }
    fragment Codes on User { registrationCodes { id } }`
    expect(await missingOf(document, { with: true })).toEqual([
      { field: 'User.webhooks', permission: 'WEBHOOK_MANAGE' },
    ])
    expect(await missingOf(document, { with: false })).toEqual([
      { field: 'User.registrationCodes', permission: 'DEVICE_CREATE' },
    ])
    expect(await missingOf('{ login { id webhooks @skip(if: true) { id } } }')).toBeUndefined()
  })

  it('considers arguments that need an additional permission', async () => {
    const document = `mutation ($attributes: Object) {
      registerDevice(name: "x", attributes: $attributes) { secret }
    }`
    expect(await missingOf(document)).toEqual([{ field: 'Mutation.registerDevice', permission: 'DEVICE_CREATE' }])
    expect(await missingOf(document, { attributes: { site: 'oslo' } })).toEqual([
      { field: 'Mutation.registerDevice', permission: 'ATTRIBUTE_WRITE' },
      { field: 'Mutation.registerDevice', permission: 'DEVICE_CREATE' },
    ])
  })
})

describe('a caller without AUDIT_READ', () => {
  it('receives only device events', async () => {
    const document = '{ login { events(size: 1000) { total items { type } } } }'
    const [{ body: all }, { body: ofDevices }] = [
      await sendDocument(app, callers.owner!, document),
      await sendDocument(app, callers.viewer!, document),
    ]
    const typesIn = (body: typeof all): string[] =>
      body.data.login.events.items.map(({ type }: { type: string }) => type)
    expect(typesIn(all)).toContain('ACCESS_KEY_CREATE')
    expect(typesIn(ofDevices)).toContain('DEVICE_REGISTER')
    expect(typesIn(ofDevices).filter((type) => !/^(DEVICE|SERVICE|ATTRIBUTE)_/.test(type))).toEqual([])
    expect(ofDevices.data.login.events.total).toBe(typesIn(ofDevices).length)
  })
})

describe('a session of a user with several accounts', () => {
  let person: TestMember
  let home: string
  beforeAll(async () => {
    person = await newMember(app, app.owner.accountId, 'viewer')
    home = person.id
    const another = await app.createUser()
    await addMember(app, { accountId: another.accountId, personId: person.id, roleId: 'operator' })
  })

  const login = async (account?: string): Promise<unknown> => {
    const { 'muster-account': _, ...headers } = person.headers
    const { body } = await sendDocument(
      app,
      { headers: { ...headers, ...(account !== undefined && { 'muster-account': account }) } },
      '{ login { id } }',
    )
    return body.data?.login.id ?? body
  }

  it('uses the account in the header or, without a header, the account that the user last used', async () => {
    expect(await login(home)).toBe(home)
    expect(await login()).toBe(home)
    expect(await login(app.owner.accountId)).toBe(app.owner.accountId)
    expect(await login()).toBe(app.owner.accountId)
  })

  it("receives the same response for another user's account as for an ID that does not exist", async () => {
    const stranger = await app.createUser()
    const [one, other] = [await login(stranger.accountId), await login('invented')]
    expect(one).toEqual(other)
    expect(one).toMatchObject({ errors: [{ extensions: { code: 'FORBIDDEN', reason: 'not-a-member' } }] })
  })

  it('uses a header that has no effect on a signed request', async () => {
    const caller = { ...withKey(app.owner), headers: { 'muster-account': 'invented' } }
    const { body } = await sendDocument(app, caller, '{ login { id } }')
    expect(body).toEqual({ data: { login: { id: app.owner.accountId } } })
  })
})

it('names the permissions that a restricted role or key cannot have in the description of AccessInput', () => {
  const { permissions } = (schema.getType('AccessInput') as GraphQLInputObjectType).getFields()
  const described = permissionNames.filter((name) => permissions!.description!.includes(name))
  expect(described).toEqual(namesIn(neverRestricted))
})
