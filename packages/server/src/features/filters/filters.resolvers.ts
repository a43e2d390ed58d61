import { schemaPart } from '../../graphql/assemble.ts'
import { checkFilter } from './check-filter.ts'

export const filtersPart = schemaPart(new URL('./filters.graphql', import.meta.url), {
  User: {
    checkFilter: (_user, args, context) => checkFilter(context, args),
  },
})
