import { sql } from 'kysely'
import { describe, expect, test, vi } from 'vitest'
import { registrationClient } from '../../../test/api/device-registration.ts'
import { sharedTestApp, type TestUser } from '../../../test/harness/app.ts'
import { limits } from '../../limits.ts'
import { sweepRegistrationCodes } from './registration-codes.ts'

const app = sharedTestApp()

const fields = 'id prefix name platform uses used created expires'

const create = `mutation ($name: String, $platform: String, $services: [ServiceInput!], $attributes: Object, $uses: Int, $expires: DateTime) {
  createRegistrationCode(name: $name, platform: $platform, services: $services, attributes: $attributes, uses: $uses, expires: $expires) {
    code registrationCode { ${fields} } } }`

const remove = 'mutation ($id: ID!) { deleteRegistrationCode(id: $id) }'

const listed = async (user: TestUser) =>
  (await user.data(`{ login { registrationCodes { ${fields} } } }`)).login.registrationCodes

const eventsOf = (user: TestUser) =>
  app.db
    .selectFrom('event')
    .select(['type', 'targets', 'data', 'actor_id'])
    .where('account_id', '=', user.accountId)
    .where('type', 'like', 'REGISTRATION_CODE%')
    .orderBy('id')
    .execute()

const codeOf = (response: { errors: { extensions: { code: string } }[] | undefined }) =>
  response.errors?.[0]?.extensions.code

describe('creating a registration code', () => {
  test('returns the code and shows its prefix in the list', async () => {
    const user = await app.createUser()
    const { createRegistrationCode: created } = await user.data(create, { name: 'gates', platform: 'linux', uses: 5 })
    expect(created.code).toMatch(/^MC[A-Z2-7]{30}$/)
    expect(created.registrationCode).toMatchObject({
      prefix: created.code.slice(0, 6),
      name: 'gates',
      platform: 'linux',
      uses: 5,
      used: 0,
    })
    expect(await listed(user)).toEqual([created.registrationCode])
  })

  test('allows one device within seven days by default', async () => {
    const user = await app.createUser()
    const { registrationCode } = (await user.data(create)).createRegistrationCode
    const lifetime = Date.parse(registrationCode.expires) - Date.parse(registrationCode.created)
    expect([registrationCode.uses, Math.round(lifetime / 3_600_000)]).toEqual([1, 7 * 24])
  })

  test('does not store the code in plain text', async () => {
    const user = await app.createUser()
    const { code } = (await user.data(create)).createRegistrationCode
    const rows = await app.db.selectFrom('registration_code').selectAll().execute()
    expect(JSON.stringify([rows, await eventsOf(user)])).not.toContain(code.slice(2))
  })

  test.each([
    ['an empty name', { name: ' ' }, 'BAD_USER_INPUT', /^name /],
    ['a long name', { name: 'x'.repeat(101) }, 'LIMIT_EXCEEDED', /100 .* 101/],
    ['an empty platform', { platform: '' }, 'BAD_USER_INPUT', /^platform /],
    ['zero uses', { uses: 0 }, 'BAD_USER_INPUT', /^uses .* 0$/],
    ['too many uses', { uses: 1_000_001 }, 'BAD_USER_INPUT', /^uses /],
    ['a time in the past', { expires: '2020-01-01' }, 'BAD_USER_INPUT', /^expires /],
    ['an invalid port', { services: [{ name: 'a', port: 0 }] }, 'BAD_USER_INPUT', /services\[0\]\.port/],
    [
      'two services with the same name',
      { services: [{ name: 'a' }, { name: 'a' }] },
      'BAD_USER_INPUT',
      /services\[1\]\.name.*twice/,
    ],
    [
      'too many services',
      { services: Array.from({ length: 101 }, (_, index) => ({ name: `s${index}` })) },
      'LIMIT_EXCEEDED',
      /100.*101/,
    ],
    ['an invalid attribute', { attributes: { a: 1 } }, 'BAD_USER_INPUT', /attributes\.a/],
    ['a reserved attribute', { attributes: { $x: 'y' } }, 'RESERVED_ATTRIBUTE', /\$x/],
  ])('rejects %s and changes nothing', async (_name, variables, code, message) => {
    const user = await app.createUser()
    const response = await user.query(create, variables)
    expect([codeOf(response), response.errors?.[0]?.message]).toEqual([code, expect.stringMatching(message)])
    expect([await listed(user), await eventsOf(user)]).toEqual([[], []])
  })

  test('allows at most 100 codes, even with concurrent requests', async () => {
    const user = await app.createUser()
    await createRows(user, limits.registrationCodes - 2)
    const responses = await Promise.all(Array.from({ length: 6 }, () => user.query(create)))
    expect(responses.map(codeOf).filter((code) => code !== undefined)).toEqual(Array(4).fill('LIMIT_EXCEEDED'))
    const { login } = await user.data('{ login { limits { name value used } } }')
    expect(login.limits).toContainEqual({ name: 'registrationCodes', value: 100, used: 100 })
  })
})

async function createRows(user: TestUser, count: number): Promise<void> {
  const expires = new Date(Date.now() + 3_600_000)
  const rows = Array.from({ length: count }, (_, index) => ({
    account_id: user.accountId,
    id: `made-${index}`,
    code_hash: Buffer.from(`${user.accountId} ${index}`),
    prefix: 'MCAAAA',
    uses: 1,
    expires,
  }))
  await app.db.insertInto('registration_code').values(rows).execute()
}

describe('deleting a registration code', () => {
  test('removes the code from the list and records its creation and deletion as events', async () => {
    const user = await app.createUser()
    const attributes = { site: 'oslo' }
    const { registrationCode } = (await user.data(create, { name: 'gates', attributes })).createRegistrationCode
    const { id, prefix, expires } = registrationCode
    expect(await user.data(remove, { id })).toEqual({ deleteRegistrationCode: true })
    expect(await listed(user)).toEqual([])
    expect(codeOf(await user.query(remove, { id }))).toBe('NOT_FOUND')
    const actorAndTargets = { actor_id: user.accountId, targets: [{ id, name: 'gates', kind: 'registrationCode' }] }
    const template = { name: 'gates', platform: null, services: [], attributes, uses: 1, expires }
    expect(await eventsOf(user)).toEqual([
      { type: 'REGISTRATION_CODE_CREATE', ...actorAndTargets, data: { prefix, ...template } },
      { type: 'REGISTRATION_CODE_DELETE', ...actorAndTargets, data: { prefix, name: 'gates', uses: 1, used: 0 } },
    ])
  })

  test('rejects a registration in progress, because the code is unknown', async () => {
    const { newCode, register } = registrationClient(app)
    const { code, id } = await newCode()
    const response = await app.db.transaction().execute(async (transaction) => {
      await transaction.deleteFrom('registration_code').where('id', '=', id).execute()
      const registering = register({ code, hardwareId: 'X' })
      const countingUse = sql`select from pg_stat_activity where datname = current_database() and state = 'active'
        and query like '%update registration_code%' and pid <> pg_backend_pid()`
      await vi.waitFor(async () => expect((await countingUse.execute(app.db)).rows).toHaveLength(1), {
        timeout: 60_000,
      })
      return () => registering
    })
    const { status, body } = await response()
    expect([status, body.errors[0].extensions.reason]).toEqual([401, 'unknown-code'])
  })

  test('removes expired codes after the retention period', async () => {
    const user = await app.createUser()
    const { registrationCode } = (await user.data(create)).createRegistrationCode
    const daysAfterExpiry = (days: number) => new Date(Date.parse(registrationCode.expires) + days * 24 * 3_600_000)
    await sweepRegistrationCodes(app.db, daysAfterExpiry(limits.expiredCodeDays - 1))
    expect(await listed(user)).toHaveLength(1)
    expect(await sweepRegistrationCodes(app.db, daysAfterExpiry(limits.expiredCodeDays + 1))).toBeGreaterThan(0)
    expect(await listed(user)).toEqual([])
  })
})

test('hides a code from other users, who cannot delete it', async () => {
  const [user, other] = [await app.createUser(), await app.createUser()]
  const { registrationCode } = (await user.data(create)).createRegistrationCode
  expect(await listed(other)).toEqual([])
  expect(codeOf(await other.query(remove, { id: registrationCode.id }))).toBe('NOT_FOUND')
  expect(await listed(user)).toHaveLength(1)
})
