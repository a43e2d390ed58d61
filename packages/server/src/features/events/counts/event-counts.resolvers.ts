import { schemaPart } from '../../../graphql/assemble.ts'
import { countEventsByInterval } from './event-counts.ts'

export const eventCountsPart = schemaPart(new URL('./event-counts.graphql', import.meta.url), {
  User: { eventCounts: (_user, args, context) => countEventsByInterval(context, args) },
})
