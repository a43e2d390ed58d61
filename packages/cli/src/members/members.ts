import type { Muster, Selected } from '@muster/client'
import { CliError } from '../errors/cli-error.ts'
import { exitCodes } from '../errors/exit-codes.ts'
import type { Column } from '../output/column.ts'

const roleFields = {
  id: true,
  name: true,
  builtIn: true,
  permissions: true,
  attributes: { read: true, write: true },
  where: true,
  groups: true,
  members: true,
} as const

const memberFields = {
  person: { id: true, email: true, name: true },
  role: { id: true, name: true },
  source: true,
  accountKeys: true,
  created: true,
  lastUsed: true,
} as const

const invitationFields = {
  id: true,
  email: true,
  role: { id: true, name: true },
  created: true,
  expires: true,
  emailStatus: true,
  createdBy: { user: { email: true } },
} as const

export type RoleRow = Selected<'Role', typeof roleFields>
export type MemberRow = Selected<'Member', typeof memberFields>
export type InvitationRow = Selected<'Invitation', typeof invitationFields>

const joined = (names: readonly string[]): string | null => (names.length === 0 ? null : names.join(','))

export const roleColumns: readonly Column<RoleRow>[] = [
  { name: 'id', value: ({ id }) => id, truncated: 'first' },
  { name: 'name', value: ({ name }) => name, truncated: 'last' },
  { name: 'builtIn', value: ({ builtIn }) => builtIn },
  { name: 'members', value: ({ members }) => members },
  { name: 'permissions', value: ({ permissions }) => joined(permissions) },
  { name: 'read', value: ({ attributes }) => attributes?.read.join(',') ?? null },
  { name: 'write', value: ({ attributes }) => attributes?.write.join(',') ?? null },
  { name: 'where', value: ({ where }) => where, truncated: 'last' },
  { name: 'groups', value: ({ groups }) => joined(groups) },
]

export const memberColumns: readonly Column<MemberRow>[] = [
  { name: 'id', value: ({ person }) => person.id, truncated: 'first' },
  { name: 'email', value: ({ person }) => person.email, truncated: 'last' },
  { name: 'name', value: ({ person }) => person.name, truncated: 'last' },
  { name: 'role', value: ({ role }) => role.name },
  { name: 'source', value: ({ source }) => source },
  { name: 'accountKeys', value: ({ accountKeys }) => accountKeys },
  { name: 'created', value: ({ created }) => created, time: true },
  { name: 'lastUsed', value: ({ lastUsed }) => lastUsed, time: true },
]

export const invitationColumns: readonly Column<InvitationRow>[] = [
  { name: 'id', value: ({ id }) => id, truncated: 'first' },
  { name: 'email', value: ({ email }) => email, truncated: 'last' },
  { name: 'role', value: ({ role }) => role.name },
  { name: 'invitedBy', value: ({ createdBy }) => createdBy?.user?.email ?? null },
  { name: 'emailStatus', value: ({ emailStatus }) => emailStatus },
  { name: 'created', value: ({ created }) => created, time: true },
  { name: 'expires', value: ({ expires }) => expires, time: true },
]

export async function listMembers(muster: Muster): Promise<readonly MemberRow[]> {
  const { login } = await muster.select({ login: { members: memberFields } })
  return login?.members ?? []
}

export async function listRoles(muster: Muster): Promise<readonly RoleRow[]> {
  const { login } = await muster.select({ login: { roles: roleFields } })
  return login?.roles ?? []
}

export async function listInvitations(muster: Muster): Promise<readonly InvitationRow[]> {
  const { login } = await muster.select({ login: { invitations: invitationFields } })
  return login?.invitations ?? []
}

export const findMember = async (muster: Muster, emailOrId: string): Promise<MemberRow> =>
  only(
    (await listMembers(muster)).filter(({ person }) => person.id === emailOrId || isSame(person.email, emailOrId)),
    { what: 'member', named: 'the ID or email address', given: emailOrId },
  )

export const findRole = async (muster: Muster, nameOrId: string): Promise<RoleRow> =>
  only(
    (await listRoles(muster)).filter(({ id, name }) => id === nameOrId || isSame(name, nameOrId)),
    { what: 'role', named: 'the ID or name', given: nameOrId },
  )

export const findInvitation = async (muster: Muster, emailOrId: string): Promise<InvitationRow> =>
  only(
    (await listInvitations(muster)).filter(({ id, email }) => id === emailOrId || isSame(email ?? '', emailOrId)),
    { what: 'invitation', named: 'the ID or email address', given: emailOrId },
  )

const isSame = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase()

interface Search {
  what: string
  named: string
  given: string
}

function only<Item>(found: readonly Item[], { what, named, given }: Search): Item {
  const [item] = found
  const hint = `To list all ${what}s, run "muster ${what}s list".`
  if (item === undefined)
    throw new CliError(`no ${what} has ${named} ${JSON.stringify(given)}`, { exitCode: exitCodes.notFound, hint })
  if (found.length > 1)
    throw new CliError(`${found.length} ${what}s have ${named} ${JSON.stringify(given)}: pass the ID`, {
      exitCode: exitCodes.conflict,
      hint,
    })
  return item
}
