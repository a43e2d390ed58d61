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
import { findAccount, insertAccount } from './users.queries.ts'

export { hasAccounts as hasUsers, lockAccount } from './users.queries.ts'

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
export async function createUser(db: Database, user: NewUser): Promise<CreatedUser> {
  const { password, ...person } = await readNewUser(user)
  const { id, email } = person
  await inTransaction(db, async (transaction) => {
    const isNew = (await insertPerson(transaction, person)) && (await insertAccount(transaction, person))
    if (!isNew) throw addressInUse(email)
    await insertMembership(transaction, { accountId: id, personId: id, roleId: 'owner', source: 'founder' })
  })
  return { id, email, password }
}

/** Creates a person without an account. Throws CONFLICT if the email address is in use (case-insensitive). */
export async function createPerson(db: Database, user: NewUser): Promise<CreatedUser> {
  const { password, ...person } = await readNewUser(user)
  const { id, email } = person
  if (!(await insertPerson(db, person))) throw addressInUse(email)
  return { id, email, password }
}

async function readNewUser({ email, name = null }: NewUser) {
  assertEmail(email, 'email')
  if (name !== null) assertName(name, 'name', limits.userNameLength)
  const password = generatePassword()
  return { id: randomUUID(), email, emailConfirmed: true, name, password, passwordHash: await hashPassword(password) }
}

const addressInUse = (email: string): ApiError =>
  new ApiError('CONFLICT', `a user with the email address ${JSON.stringify(email)} already exists`)

export const getViewerDetails = perRequest(async ({ db, viewer }: Context): Promise<UserDetails> => {
  const found = await findAccount(db, viewer.accountId)
  if (found === undefined) throw notFound('user', viewer.accountId)
  return found
})
