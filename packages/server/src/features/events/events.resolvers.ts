import { schemaPart } from '../../graphql/assemble.ts'
import { eventsUrl } from './download/events-download.ts'
import { describeSource } from './event-source.ts'
import { loadEventsOfDevice } from './events.loaders.ts'
import { listEvents } from './events.ts'

export const eventsPart = schemaPart(new URL('./events.graphql', import.meta.url), {
  User: {
    events: (_user, args, context) => listEvents(context, args),
    eventsUrl: (_user, args, context) => eventsUrl(context, args),
  },
  Device: {
    events: (device, args, context) => loadEventsOfDevice(context, args, device.id),
  },
  Event: {
    owner: (_event, _args, { viewer }) => ({ id: viewer.accountId, email: viewer.email }),
    // Users can change only their own account, so the actor is always the account owner.
    actor: ({ actorId }, _args, { viewer }) =>
      actorId === null ? null : { id: viewer.accountId, email: viewer.email },
    source: (event, _args, { viewer }) =>
      describeSource(event, event.actorId === null ? null : { id: viewer.accountId, email: viewer.email }),
    target: ({ targets }) => targets,
  },
})
