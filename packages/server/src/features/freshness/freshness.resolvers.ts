import { schemaPart } from '../../graphql/assemble.ts'
import { countStaleDevices, isDeviceStale, listFreshness } from './freshness.ts'
import { setExpectedInterval } from './set-expected-interval.ts'

export const freshnessPart = schemaPart(new URL('./freshness.graphql', import.meta.url), {
  User: {
    freshness: (_user, _args, context) => listFreshness(context),
  },
  Device: {
    isStale: ({ id }, _args, context) => isDeviceStale(context, id),
  },
  Freshness: {
    stale: (freshness, _args, context) => countStaleDevices(context, freshness),
  },
  Mutation: {
    setExpectedInterval: (_root, args, context) => setExpectedInterval(context, args),
  },
})
