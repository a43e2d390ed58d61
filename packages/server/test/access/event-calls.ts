import { attempt, type Call, literal, notFound } from './call.ts'

const user = (field: string) => (): string => `{ login { ${field} } }`

const page = ['size', 'from']
const noEvents = { finds: { login: { events: { items: [], total: 0 } } } }
const noCounts = { finds: { login: { eventCounts: [{ count: 0 }] } } }

const events = (argument: string): string =>
  `{ login { events(${argument}) { items { id data target { name } } total } } }`
const eventCounts = (argument: string): string => `{ login { eventCounts(intervals: 1, ${argument}) { count } } }`
const eventsOfOwn = (device: string, argument: string): string =>
  `{ login { device(id: ${literal(device)}) { events(${argument}) { items { id } total } } } }`

export const eventCalls: Record<string, Call> = {
  'User.events': {
    plain: user('events { items { id type } total }'),
    naming: {
      after: [
        notFound(({ event }) => events(`after: ${literal(event)}`)),
        attempt('own', ({ eventCursor }) => events(`after: ${literal(eventCursor)}`)),
      ],
      last: notFound(({ event }) => events(`last: ${literal(event)}`)),
      deviceId: [
        attempt(noEvents, ({ device }) => events(`deviceId: ${literal(device)}`)),
        attempt(noEvents, ({ service, userId }) => events(`deviceId: [${literal(service)}, ${literal(userId)}]`)),
      ],
      where: [
        attempt(noEvents, ({ event }) => events(`where: ${literal(`id = ${event}`)}`)),
        attempt(noEvents, ({ device }) => events(`where: ${literal(`device.id = ${device}`)}`)),
        attempt(noEvents, ({ userId }) => events(`where: ${literal(`actor = "${userId}"`)}`)),
      ],
      view: notFound(({ eventView }) => events(`view: ${literal(eventView)}`)),
    },
    others: [...page, 'minDate', 'maxDate', 'types', 'context', 'now'],
  },
  'User.eventCounts': {
    plain: user('eventCounts { from until count }'),
    naming: {
      deviceId: attempt(noCounts, ({ device }) => eventCounts(`deviceId: ${literal(device)}`)),
      where: attempt(noCounts, ({ device }) => eventCounts(`where: ${literal(`device.id = ${device}`)}`)),
      view: notFound(({ eventView }) => eventCounts(`view: ${literal(eventView)}`)),
    },
    others: ['intervals', 'minDate', 'maxDate', 'types', 'context', 'now'],
  },
  'User.eventsUrl': {
    plain: user('eventsUrl'),
    naming: {
      deviceId: attempt('empty download', ({ device }) => `{ login { url: eventsUrl(deviceId: ${literal(device)}) } }`),
      where: attempt(
        'empty download',
        ({ device }) => `{ login { url: eventsUrl(where: ${literal(`device.id = ${device}`)}) } }`,
      ),
      view: notFound(({ eventView }) => `{ login { eventsUrl(view: ${literal(eventView)}) } }`),
    },
    others: ['minDate', 'maxDate', 'types', 'context'],
  },
  'Device.events': {
    plain: ({ device }) => eventsOfOwn(device, 'size: 1'),
    naming: {
      after: [
        notFound(({ event }, own) => eventsOfOwn(own.device, `after: ${literal(event)}`)),
        attempt('own', ({ eventCursor }, own) => eventsOfOwn(own.device, `after: ${literal(eventCursor)}`)),
      ],
      last: notFound(({ event }, own) => eventsOfOwn(own.device, `last: ${literal(event)}`)),
    },
    others: [...page, 'minDate', 'maxDate', 'types'],
  },
  'User.attributeHistory': {
    plain: () => '{ login { attributeHistory { items { eventId name } } } }',
    naming: {
      after: notFound(({ event }) => `{ login { attributeHistory(after: ${literal(event)}) { items { name } } } }`),
    },
    others: ['size', 'minDate', 'maxDate', 'name', 'context'],
  },
  'Device.attributeHistory': {
    plain: () => '{ login { devices { items { attributeHistory { items { eventId name } } } } } }',
    naming: {
      after: notFound(
        ({ event }) =>
          `{ login { devices { items { attributeHistory(after: ${literal(event)}) { items { name } } } } } }`,
      ),
    },
    others: ['size', 'minDate', 'maxDate', 'name', 'context'],
  },
  'Service.attributeHistory': {
    plain: () => '{ login { services { items { attributeHistory { items { eventId name } } } } } }',
    naming: {
      after: notFound(
        ({ event }) =>
          `{ login { services { items { attributeHistory(after: ${literal(event)}) { items { name } } } } } }`,
      ),
    },
    others: ['size', 'minDate', 'maxDate', 'name', 'context'],
  },
}
