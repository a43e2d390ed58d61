import { schemaPart } from '../../graphql/assemble.ts'
import { describeSource } from '../events/event-source.ts'
import { findActor } from '../users/people/people.ts'
import { listChanges } from './history.ts'

export const historyPart = schemaPart(new URL('./history.graphql', import.meta.url), {
  User: {
    attributeHistory: ({ id }, args, context) => listChanges(context, args, { id, deviceId: null }),
  },
  Device: {
    attributeHistory: ({ id }, args, context) => listChanges(context, args, { id, deviceId: id }),
  },
  Service: {
    // A bulk service has the ID and the attributes of its device.
    attributeHistory: ({ id, deviceId }, args, context) => listChanges(context, args, { id, deviceId }),
  },
  AttributeChange: {
    eventId: ({ id }) => id,
    event: (change) => change,
    at: ({ timestamp }) => timestamp,
    target: ({ targets }) => targets[0]!,
    source: async (change, _args, context) => describeSource(change, await findActor(context, change.actorId)),
  },
})
