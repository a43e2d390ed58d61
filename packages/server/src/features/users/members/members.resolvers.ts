import { schemaPart } from '../../../graphql/assemble.ts'
import { done } from '../../../graphql/done.ts'
import { findRole } from '../roles/roles.ts'
import { getViewerDetails } from '../users.ts'
import { describeGrant, findOwnKey, findOwnPerson, listMemberships } from './me.ts'
import { leaveAccount, listMembers, removeMember, setMemberRole } from './members.ts'
import { readSignInPolicy, updateAccount } from './update-account.ts'

export const membersPart = schemaPart(new URL('./members.graphql', import.meta.url), {
  Query: {
    me: () => ({}),
  },
  Me: {
    accessKey: (_me, _args, context) => findOwnKey(context),
    account: (_me, _args, context) => (context.viewer.accountId === '' ? null : getViewerDetails(context)),
    accounts: (_me, _args, context) => listMemberships(context),
    grant: (_me, _args, context) => (context.viewer.accountId === '' ? null : describeGrant(context)),
    person: (_me, _args, context) => findOwnPerson(context),
  },
  User: {
    account: (_user, { id }, { viewer }) => (id == null || id === viewer.accountId ? { id: viewer.accountId } : null),
    members: (_user, _args, context) => listMembers(context),
    signInPolicy: (_user, _args, context) => readSignInPolicy(context),
  },
  Member: {
    person: ({ personId, email, name }) => ({ id: personId, email, name }),
    role: ({ roleId }, _args, context) => findRole(context, roleId),
  },
  Mutation: {
    leaveAccount: (_root, _args, context) => done(leaveAccount(context)),
    removeMember: (_root, args, context) => done(removeMember(context, args)),
    setMemberRole: (_root, args, context) => setMemberRole(context, args),
    updateAccount: (_root, args, context) => updateAccount(context, args),
  },
})
