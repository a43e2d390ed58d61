import { schemaPart } from '../../graphql/assemble.ts'
import { createAccessKey, deleteAccessKey, listAccessKeys, updateAccessKey } from './access-keys.ts'

export const accessKeysPart = schemaPart(new URL('./access-keys.graphql', import.meta.url), {
  User: {
    accessKeys: (_user, _arguments, context) => listAccessKeys(context),
  },
  Mutation: {
    createAccessKey: (_parent, input, context) => createAccessKey(context, input),
    updateAccessKey: (_parent, { key, ...change }, context) => updateAccessKey(context, key, change),
    deleteAccessKey: async (_parent, { key }, context) => {
      await deleteAccessKey(context, key)
      return true
    },
  },
})
