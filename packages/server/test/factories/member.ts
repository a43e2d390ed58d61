import { newPerson, type Person, signIn } from '../clients/browser.ts'
import type { TestApp } from '../harness/app.ts'

export interface TestMember extends Person {
  /** The headers that the console sends for this person in the account. */
  headers: Record<string, string>
}

export async function newMember(
  app: Pick<TestApp, 'db' | 'url'>,
  accountId: string,
  roleId: string,
): Promise<TestMember> {
  const person = await newPerson(app)
  await addMember(app, { accountId, personId: person.id, roleId })
  const browser = await signIn(app, person)
  const headers = {
    cookie: browser.cookieHeader(),
    'muster-session': '1',
    origin: app.url,
    'muster-account': accountId,
  }
  return { ...person, headers }
}

export async function addMember(
  { db }: Pick<TestApp, 'db'>,
  { accountId, personId, roleId }: { accountId: string; personId: string; roleId: string },
): Promise<void> {
  const row = { account_id: accountId, person_id: personId, role_id: roleId, source: 'operator' }
  await db.insertInto('membership').values(row).execute()
}

export async function removeMembership(
  { db }: Pick<TestApp, 'db'>,
  { accountId, personId }: { accountId: string; personId: string },
): Promise<void> {
  await db.deleteFrom('membership').where('account_id', '=', accountId).where('person_id', '=', personId).execute()
}
