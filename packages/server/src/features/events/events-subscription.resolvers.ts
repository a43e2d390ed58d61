import { schemaPart } from '../../graphql/assemble.ts'
import type { Event } from './event.ts'
import { subscribeToEvents } from './events-subscription.ts'

export const eventsSubscriptionPart = schemaPart(new URL('./events-subscription.graphql', import.meta.url), {
  Subscription: {
    events: {
      subscribe: (_root, args, context) => subscribeToEvents(context, args),
      resolve: (event: Event) => event,
    },
  },
})
