import { schemaPart } from '../../graphql/assemble.ts'
import { countDeviceTotals, listFacets } from './facets.ts'

export const facetsPart = schemaPart(new URL('./facets.graphql', import.meta.url), {
  User: {
    facets: (_user, args, context) => listFacets(context, args),
    deviceTotals: (_user, args, context) => countDeviceTotals(context, args),
  },
})
