import { signInRequired } from '../../errors.ts'
import { schemaPart } from '../../graphql/assemble.ts'
import { listLimits } from './limit-list.ts'
import { getViewerDetails } from './users.ts'

export const usersPart = schemaPart(new URL('./users.graphql', import.meta.url), {
  Query: {
    login: (_parent, _arguments, { viewer }) => {
      if (viewer.requiredSignIn !== undefined) throw signInRequired(viewer.requiredSignIn)
      return viewer.accountId === '' ? null : { id: viewer.accountId }
    },
  },
  User: {
    email: async (_user, _arguments, context) => (await getViewerDetails(context)).email,
    name: async (_user, _arguments, context) => (await getViewerDetails(context)).name,
    created: async (_user, _arguments, context) => (await getViewerDetails(context)).created,
    limits: (_user, _arguments, context) => listLimits(context),
  },
})
