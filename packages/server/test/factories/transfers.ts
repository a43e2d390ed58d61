import type { TestApp, TestUser } from '../harness/app.ts'
import { addMember, newMember, type TestMember } from './member.ts'
import { type Answer, ask } from './team.ts'

/** Two accounts, and a person who may move devices from the first account to the second account. */
export interface TwoAccounts {
  here: TestUser
  there: TestUser
  /** An owner of the first account, and an operator of the second account. */
  person: TestMember
}

export async function newTwoAccounts(app: TestApp): Promise<TwoAccounts> {
  const here = await app.createUser()
  const there = await app.createUser()
  const person = await newMember(app, here.accountId, 'owner')
  await addMember(app, { accountId: there.accountId, personId: person.id, roleId: 'operator' })
  return { here, there, person }
}

export const transfer = 'mutation ($to: ID!, $ids: [String!]!) { transferDevices(accountId: $to, deviceId: $ids) }'

/** Moves devices to the account `to` from the account that the person's requests use. */
export const moveDevices = (
  by: Pick<TestMember, 'headers'>,
  to: Pick<TestUser, 'accountId'>,
  ids: readonly string[],
): Promise<Answer> => ask(by, transfer, { to: to.accountId, ids })

/** Returns the same person, but with requests that use this account. */
export const inAccount = (person: TestMember, { accountId }: Pick<TestUser, 'accountId'>): TestMember => ({
  ...person,
  headers: { ...person.headers, 'muster-account': accountId },
})

export const setRoleIn = (app: TestApp, { accountId }: TestUser, { id }: TestMember, roleId: string) =>
  app.db
    .updateTable('membership')
    .set({ role_id: roleId })
    .where('account_id', '=', accountId)
    .where('person_id', '=', id)
    .execute()

export const setAttributesOf = (user: TestUser, id: string, attributes: object, context?: string) =>
  user.data(
    'mutation ($id: String!, $attributes: Object!, $context: String) { setAttributes(serviceId: $id, attributes: $attributes, context: $context) }',
    { id, attributes, context },
  )
