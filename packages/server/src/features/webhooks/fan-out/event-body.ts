import type { Event } from '../../events/event.ts'
import { describeSource, jobIdOf } from '../../events/event-source.ts'
import type { Target } from '../../events/event-types.ts'

export interface DeliverableEvent extends Event {
  actorEmail?: string | null
}

/**
 * Returns the body of an event's deliveries. The body is the same on every attempt. A member of the event's data can
 * have the name of a field that is not null. The field then keeps the name, and `data.data` contains the member.
 */
export function eventBody(event: DeliverableEvent, owner: { id: string; email: string }): string {
  const { id, type, timestamp, actorId, source, targets, state, data } = event
  const actor = actorId === null ? null : { id: actorId, email: event.actorEmail ?? owner.email }
  const of = (kind: Target['kind']): { id: string; name: string } | null => {
    const target = targets.find((each) => each.kind === kind)
    return target === undefined ? null : { id: target.id, name: target.name }
  }
  const fields = {
    id,
    owner,
    actor,
    source: describeSource(event, actor),
    job: jobIdOf(source),
    device: of('device'),
    service: of('service'),
    target: targets,
    state,
    address: null,
  }
  const ownFields = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null))
  const hidden = Object.entries(data).filter(([name]) => Object.hasOwn(ownFields, name))
  return JSON.stringify({
    type: messageType(type),
    timestamp,
    data: {
      ...fields,
      ...data,
      ...ownFields,
      ...(hidden.length > 0 && { data: Object.fromEntries(hidden) }),
    },
  })
}

/** The object kinds that consist of several words. In a message type, all words of the kind precede the dot. */
const multiWordKinds = ['ACCESS_KEY', 'KEY_POLICY', 'REGISTRATION_CODE', 'MASTER_KEY', 'DOWNLOAD_LINK']

/** Converts `DEVICE_STATE` to `device.state` and `ACCESS_KEY_CREATE` to `access_key.create`. */
function messageType(type: string): string {
  const kind = multiWordKinds.find((each) => type.startsWith(`${each}_`)) ?? type.slice(0, type.indexOf('_'))
  return `${kind}.${type.slice(kind.length + 1)}`.toLowerCase()
}
