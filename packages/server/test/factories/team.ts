import { expect } from 'vitest'
import { newPerson, signIn } from '../clients/browser.ts'
import type { TestApp, TestUser } from '../harness/app.ts'
import { newMember, type TestMember } from './member.ts'

export interface Answer {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: each test knows the shape of its responses
  data: any
  error: [code: string, reason: unknown] | undefined
}

export async function ask(
  { headers }: Pick<TestMember, 'headers'>,
  document: string,
  variables: object = {},
  { url }: Pick<TestApp, 'url'> = { url: headers.origin! },
): Promise<Answer> {
  const response = await fetch(`${url}/graphql/v1`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers, origin: url },
    body: JSON.stringify({ query: document, variables }),
  })
  const { data, errors } = (await response.json()) as {
    data: unknown
    errors?: { extensions: Record<string, string> }[]
  }
  const [{ extensions } = {}] = errors ?? []
  return { status: response.status, data, error: extensions && [extensions.code!, extensions.reason] }
}

/** Sends a document that must succeed, and returns the response's data. */
export async function done(member: TestMember, document: string, variables: object = {}): Promise<Answer['data']> {
  const { data, error } = await ask(member, document, variables)
  expect(error).toBeUndefined()
  return data
}

export interface Team {
  account: TestUser
  owner: TestMember
  admin: TestMember
  viewer: TestMember
  /** Returns the account's events of these types, newest first. */
  eventsOf(types: string): Promise<unknown[]>
}

export async function newTeam(app: TestApp): Promise<Team> {
  const account = await app.createUser()
  const [owner, admin, viewer] = await Promise.all([
    newMember(app, account.accountId, 'owner'),
    newMember(app, account.accountId, 'admin'),
    newMember(app, account.accountId, 'viewer'),
  ])
  const eventsOf: Team['eventsOf'] = async (types) => {
    const { login } = await account.data(
      `{ login { events(types: [${types}]) { items { actor { id email } target { id name kind } data } } } }`,
    )
    return login.events.items
  }
  return { account, owner, admin, viewer, eventsOf }
}

export async function newOutsider(app: TestApp): Promise<TestMember> {
  const person = await newPerson(app)
  const browser = await signIn(app, person)
  return { ...person, headers: { cookie: browser.cookieHeader(), 'muster-session': '1', origin: app.url } }
}

export const setRole =
  'mutation ($personId: ID!, $roleId: ID!) { setMemberRole(personId: $personId, roleId: $roleId) { role { id } } }'

/** Sets the single sign-on groups whose members get a role. */
export async function nameGroups({ owner }: Team, roleId: string, groups: string[]): Promise<void> {
  await done(owner, 'mutation ($id: ID!, $groups: [String!]) { updateRole(id: $id, groups: $groups) { id } }', {
    id: roleId,
    groups,
  })
}

/** Returns a member's source and role, such as `group viewer`, or undefined if no member has this email address. */
export async function roleOf({ owner }: Team, email: string): Promise<string | undefined> {
  const { login } = await done(owner, '{ login { members { person { email } role { name } source } } }')
  const found = login.members.find((each: { person: { email: string } }) => each.person.email === email)
  return found && `${found.source} ${found.role.name}`
}
