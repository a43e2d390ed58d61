import { randomUUID } from 'node:crypto'
import { generatePassword, hashPassword } from '../../auth/sessions/passwords/password.ts'
import { type Database, inTransaction } from '../../db/database.ts'
import { ApiError } from '../../errors.ts'
import { assertName } from '../../lib/string-checks.ts'
import { limits } from '../../limits.ts'
import { insertAccount } from './accounts.queries.ts'
import { insertMembership, insertPerson } from './people/people.queries.ts'
import { assertEmail } from './users.ts'

export interface NewUser {
  email: string
  name?: string | null
}

export interface CreatedUser {
  id: string
  email: string
  /** The database contains only the password's hash. */
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
