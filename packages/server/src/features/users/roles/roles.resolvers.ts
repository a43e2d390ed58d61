import { schemaPart } from '../../../graphql/assemble.ts'
import { done } from '../../../graphql/done.ts'
import { isBuiltIn, namesIn } from '../../../permissions.ts'
import { shownRestriction } from '../../restrictions/own-restriction.ts'
import { loadView } from '../../views/load-view.ts'
import { countUses, createRole, deleteRole, listRoles, updateRole } from './roles.ts'

export const rolesPart = schemaPart(new URL('./roles.graphql', import.meta.url), {
  User: {
    roles: (_user, _args, context) => listRoles(context),
  },
  Role: {
    builtIn: ({ id }) => isBuiltIn(id),
    permissions: ({ permissions }) => namesIn(permissions),
    attributes: (role) => shownRestriction(role).attributes ?? null,
    where: (role) => shownRestriction(role).where ?? null,
    view: ({ own }, _args, context) => (own.view === undefined ? null : loadView(context, own.view)),
    context: ({ own }) => own.context ?? null,
    members: async ({ id }, _args, context) => (await countUses(context)).get(id) ?? 0,
  },
  Mutation: {
    createRole: (_root, args, context) => createRole(context, args),
    updateRole: (_root, args, context) => updateRole(context, args),
    deleteRole: (_root, { id }, context) => done(deleteRole(context, id)),
  },
})
