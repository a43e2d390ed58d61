import { scryptSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { sharedTestApp } from '../../../test/harness/app.ts'
import { limits } from '../../limits.ts'
import { createUser } from './create-user.ts'

const app = sharedTestApp({ env: { MUSTER_FIRST_RECORD: '0' } })

describe('the field login', () => {
  it('returns the account of the signing key', async () => {
    const [first, second] = [await app.createUser(), await app.createUser()]
    for (const user of [first, second]) {
      const { login } = await user.data('{ login { id email name created } }')
      expect(login).toMatchObject({ id: user.accountId, email: user.email, name: null })
      expect(login.created).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    }
  })

  it('lists the limits and their current use', async () => {
    const user = await app.createUser()
    const { login } = await user.data('{ login { limits { name value used } } }')
    const byName = new Map(login.limits.map((limit: { name: string }) => [limit.name, limit]))
    expect(byName.get('accessKeys')).toEqual({ name: 'accessKeys', value: 10, used: 1 })
    expect(byName.get('pageSize')).toEqual({ name: 'pageSize', value: 1000, used: null })
    expect(byName.get('firstRecord')).toEqual({ name: 'firstRecord', value: 0, used: null })
    expect([...byName.keys()].sort()).toEqual(
      [...Object.keys(limits), 'deviceMebibytesPerDay', 'accountMebibytesPerDay', 'firstRecord'].sort(),
    )
  })
})

describe('creating a user', () => {
  it('stores a random password as a salted scrypt hash', async () => {
    const { id, password } = await createUser(app.db, { email: 'grace@example.com', name: 'Grace' })
    const account = await app.db.selectFrom('account').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
    const [salt = '', key] = account.password_hash?.split(':') ?? []
    expect(salt).toMatch(/^[0-9a-f]{32}$/)
    const options = { N: 16_384, r: 16, p: 1, maxmem: 64 * 1024 * 1024 }
    expect(scryptSync(password, salt, 64, options).toString('hex')).toBe(key)
    expect(account).toMatchObject({ email: 'grace@example.com', name: 'Grace' })
  })

  it('rejects an email address that is in use, ignoring case', async () => {
    await createUser(app.db, { email: 'Lin@example.com' })
    await expect(createUser(app.db, { email: 'lin@EXAMPLE.com' })).rejects.toMatchObject({ code: 'CONFLICT' })
  })

  it.each(['', 'unknown', 'a b@example.com', '@example.com', `${'a'.repeat(250)}@example.com`, 'a\u0000@example.com'])(
    'rejects the address %j',
    async (email) => {
      const code = email.length > 250 ? 'LIMIT_EXCEEDED' : 'BAD_USER_INPUT'
      await expect(createUser(app.db, { email })).rejects.toMatchObject({ code })
    },
  )
})
