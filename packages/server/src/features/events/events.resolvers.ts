import { schemaPart } from '../../graphql/assemble.ts'
import { findActor } from '../users/people/find-actor.ts'
import { eventsUrl } from './download/events-download.ts'
import { describeSource, jobIdOf } from './event-source.ts'
import { loadEventsOfDevice } from './events.loaders.ts'
import { listEvents } from './events.ts'
import { readableData } from './readable-events.ts'

export const eventsPart = schemaPart(new URL('./events.graphql', import.meta.url), {
  User: {
    events: (_user, args, context) => listEvents(context, args),
    eventsUrl: (_user, args, context) => eventsUrl(context, args),
  },
  Device: { events: (device, args, context) => loadEventsOfDevice(context, args, device.id) },
  Event: {
    owner: (_event, _args, { viewer }) => ({ id: viewer.accountId, email: viewer.email }),
    actor: ({ actorId }, _args, context) => findActor(context, actorId),
    source: async (event, _args, context) => describeSource(event, await findActor(context, event.actorId)),
    target: ({ targets }) => targets,
    data: (event, _args, { viewer }) => readableData(viewer, event),
    job: ({ source }) => jobIdOf(source),
  },
})
