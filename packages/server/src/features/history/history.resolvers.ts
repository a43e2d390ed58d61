import { schemaPart } from '../../graphql/assemble.ts'
import { deviceBase, serviceBase, userBase } from '../attributes/read-attributes.ts'
import { describeSource } from '../events/event-source.ts'
import { findActor } from '../users/people/find-actor.ts'
import { listChanges, readHistorySpan } from './attribute-history.ts'
import { findChangeTime, findConfirmation, findInterval, isValueStale, listAttributeInfo } from './attribute-info.ts'

export const historyPart = schemaPart(new URL('./history.graphql', import.meta.url), {
  User: {
    history: (_user, _args, context) => readHistorySpan(context),
    attributeHistory: ({ id }, args, context) => listChanges(context, args, { id, deviceId: null }),
    attributeInfo: (user, args, context) =>
      listAttributeInfo(context, userBase, { holder: user, owner: { id: user.id, deviceId: null }, args }),
  },
  Device: {
    attributeHistory: ({ id }, args, context) => listChanges(context, args, { id, deviceId: id }),
    attributeInfo: (device, args, context) =>
      listAttributeInfo(context, deviceBase, { holder: device, owner: { id: device.id, deviceId: device.id }, args }),
  },
  Service: {
    // A bulk service has the ID and the attributes of its device.
    attributeHistory: ({ id, deviceId }, args, context) => listChanges(context, args, { id, deviceId }),
    attributeInfo: (service, args, context) =>
      listAttributeInfo(context, serviceBase, { holder: service, owner: service, args }),
  },
  AttributeInfo: {
    changed: (info, _args, context) => findChangeTime(context, info),
    confirmed: (info, _args, context) => findConfirmation(context, info),
    expectedInterval: (info, _args, context) => findInterval(context, info),
    isStale: (info, _args, context) => isValueStale(context, info),
  },
  AttributeChange: {
    eventId: ({ id }) => id,
    event: (change) => change,
    at: ({ timestamp }) => timestamp,
    target: ({ targets }) => targets[0]!,
    source: async (change, _args, context) => describeSource(change, await findActor(context, change.actorId)),
  },
})
