import { randomUUID } from 'node:crypto'
import { type Call, literal, notFound, user } from './call.ts'

const setRole = (person: string, role: string): string =>
  `mutation { setMemberRole(personId: ${literal(person)}, roleId: ${literal(role)}) { person { id } role { id } } }`
const remove = (person: string): string => `mutation { removeMember(personId: ${literal(person)}) }`
const updateRole = (id: string): string => `mutation { updateRole(id: ${literal(id)}, groups: ["x"]) { id groups } }`
const roleOf = (view: string): string =>
  `mutation { createRole(name: "x", access: { view: ${literal(view)}, permissions: [] }) { id } }`
const restrictRole = (id: string, view: string): string =>
  `mutation { updateRole(id: ${literal(id)}, access: { view: ${literal(view)} }) { id } }`
const deleteRole = (id: string): string => `mutation { deleteRole(id: ${literal(id)}) }`
const invite = (role: string): string => `mutation { createInvitation(roleId: ${literal(role)}) { id role { name } } }`
const resend = (id: string): string => `mutation { resendInvitation(id: ${literal(id)}) { id email } }`
const withdraw = (id: string): string => `mutation { deleteInvitation(id: ${literal(id)}) }`

export const memberQueryCalls: Record<string, Call> = {
  'User.signInPolicy': { plain: user('signInPolicy') },
  'User.members': { plain: user('members { person { id email } role { name } source }') },
  'User.roles': { plain: user('roles { id name permissions groups members }') },
  'User.invitations': { plain: user('invitations { id email role { name } expires link }') },
}

export const memberMutationCalls: Record<string, Call> = {
  'Mutation.setMemberRole': {
    plain: ({ member }) => setRole(member, 'operator'),
    naming: {
      personId: notFound(({ member }) => setRole(member, 'operator')),
      roleId: notFound(({ role }, { member }) => setRole(member, role)),
    },
  },
  'Mutation.removeMember': {
    plain: ({ member }) => remove(member),
    naming: { personId: notFound(({ member }) => remove(member)) },
    others: ['disableKeys'],
  },
  'Mutation.leaveAccount': { plain: () => 'mutation { leaveAccount }', needsSession: true },
  'Mutation.createRole': {
    plain: () => `mutation { createRole(name: "${randomUUID()}", access: { permissions: [DEVICE_READ] }) { id } }`,
    naming: { 'access.view': notFound(({ view }) => roleOf(view)) },
    others: ['name', 'access.permissions', 'access.where', 'access.context', 'access.attributes', 'groups'],
  },
  'Mutation.updateRole': {
    plain: ({ role }) => updateRole(role),
    naming: {
      id: notFound(({ role }) => updateRole(role)),
      'access.view': notFound(({ view }, { role }) => restrictRole(role, view)),
    },
    others: ['name', 'access.permissions', 'access.where', 'access.context', 'access.attributes', 'groups'],
  },
  'Mutation.deleteRole': {
    plain: ({ role }) => deleteRole(role),
    naming: { id: notFound(({ role }) => deleteRole(role)) },
  },
  'Mutation.createInvitation': {
    plain: () => invite('viewer'),
    naming: { roleId: notFound(({ role }) => invite(role)) },
    others: ['email', 'expires'],
  },
  'Mutation.resendInvitation': {
    plain: ({ invitation }) => resend(invitation),
    naming: { id: notFound(({ invitation }) => resend(invitation)) },
  },
  'Mutation.deleteInvitation': {
    plain: ({ invitation }) => withdraw(invitation),
    naming: { id: notFound(({ invitation }) => withdraw(invitation)) },
  },
  'Mutation.acceptInvitation': {
    plain: () => `mutation { acceptInvitation(token: "x") { id } }`,
    needsSession: true,
    // The token names no object, because it is a credential.
    others: ['token'],
  },
  'Mutation.updateAccount': {
    plain: () => 'mutation { updateAccount(name: "x") { id name } }',
    others: ['email', 'name', 'signInPolicy'],
  },
}
