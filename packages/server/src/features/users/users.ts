import { randomUUID } from 'node:crypto'
import { generatePassword, hashPassword } from '../../auth/sessions/passwords/password.ts'
import type { Context } from '../../context.ts'
import { type Database, inTransaction } from '../../db/database.ts'
import { ApiError, badInput, notFound } from '../../errors.ts'
import { perRequest } from '../../graphql/per-request.ts'
import { assertName, assertText } from '../../lib/string-checks.ts'
import { limits } from '../../limits.ts'
import { insertMembership, insertPerson } from './people/people.queries.ts'
import type { UserDetails } from './user.ts'
import { findAccount, hasAccounts, insertAccount } from './users.queries.ts'

export { lockAccount } from './users.queries.ts'

/** The maximum length of an email address. RFC 5321 §4.5.3.1.3 allows 256 octets, including two angle brackets. */
const EMAIL_LENGTH = 254

export function assertEmail(email: string, path: string): void {
  assertText(email, path, EMAIL_LENGTH)
  if (!/^[^\s@]+@[^\s@]+$/.test(email)) throw badInput(`${path} must be an email address, such as ada@example.com`)
}

export interface NewUser {
  email: string
  name?: string | null
}

export interface CreatedUser {
  id: string
  email: string
  /** The server returns the password only on creation. */
  password: string
}

/** Creates a user with an account. Throws CONFLICT if the email address is in use (case-insensitive). */
export async function createUser(db: Database, { email, name = null }: NewUser): Promise<CreatedUser> {
  assertEmail(email, 'email')
  if (name !== null) assertName(name, 'name', limits.userNameLength)

  const id = randomUUID()
  const password = generatePassword()
  const passwordHash = await hashPassword(password)
  await inTransaction(db, async (transaction) => {
    const isNew =
      (await insertPerson(transaction, { id, email, emailConfirmed: true, name, passwordHash })) &&
      (await insertAccount(transaction, { id, email, name, passwordHash }))
    if (!isNew) throw new ApiError('CONFLICT', `a user with the email address ${JSON.stringify(email)} already exists`)
    await insertMembership(transaction, { accountId: id, personId: id, roleId: 'owner', source: 'founder' })
  })
  return { id, email, password }
}

/** Creates a person without an account. Throws CONFLICT like `createUser`. */
export async function createPerson(db: Database, { email, name = null }: NewUser): Promise<CreatedUser> {
  assertEmail(email, 'email')
  if (name !== null) assertName(name, 'name', limits.userNameLength)
  const [id, password] = [randomUUID(), generatePassword()]
  const passwordHash = await hashPassword(password)
  if (!(await insertPerson(db, { id, email, emailConfirmed: true, name, passwordHash })))
    throw new ApiError('CONFLICT', `a user with the email address ${JSON.stringify(email)} already exists`)
  return { id, email, password }
}

export const getViewerDetails = perRequest(async ({ db, viewer }: Context): Promise<UserDetails> => {
  const found = await findAccount(db, viewer.accountId)
  if (found === undefined) throw notFound('user', viewer.accountId)
  return found
})

export const hasUsers = (db: Database): Promise<boolean> => hasAccounts(db)
