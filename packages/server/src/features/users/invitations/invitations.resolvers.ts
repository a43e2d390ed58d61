import { schemaPart } from '../../../graphql/assemble.ts'
import { done } from '../../../graphql/done.ts'
import { describeSource } from '../../events/event-source.ts'
import { loadPerson } from '../people/people.ts'
import { findRole } from '../roles/roles.ts'
import {
  acceptInvitation,
  createInvitation,
  deleteInvitation,
  listInvitations,
  resendInvitation,
} from './invitations.ts'

export const invitationsPart = schemaPart(new URL('./invitations.graphql', import.meta.url), {
  User: {
    invitations: (_user, _args, context) => listInvitations(context),
  },
  Invitation: {
    createdBy: async ({ source, inviterId }, _args, context) => {
      const inviter = inviterId === null ? null : await loadPerson(context, inviterId)
      return describeSource({ source, deviceId: null, targets: [] }, inviter)
    },
    role: ({ roleId }, _args, context) => findRole(context, roleId),
  },
  Mutation: {
    acceptInvitation: (_root, { token }, context) => acceptInvitation(context, token),
    createInvitation: (_root, args, context) => createInvitation(context, args),
    deleteInvitation: (_root, { id }, context) => done(deleteInvitation(context, id)),
    resendInvitation: (_root, { id }, context) => resendInvitation(context, id),
  },
})
