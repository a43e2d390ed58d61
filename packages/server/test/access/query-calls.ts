import { type Call, notFound, ofWrongKind, text, tries } from './call.ts'
import { webhookQueryCalls } from './webhook-calls.ts'

const user = (field: string) => (): string => `{ login { ${field} } }`

const page = ['size', 'from']
const noDevices = { finds: { login: { devices: { items: [], total: 0 } } } }
const noEvents = { finds: { login: { events: { items: [], total: 0 } } } }

/** A list of devices with one argument more. */
const devices = (argument: string): string =>
  `{ login { devices(${argument}) { items { id name attributes } total } } }`
const events = (argument: string): string =>
  `{ login { events(${argument}) { items { id data target { name } } total } } }`
const eventsOfOwn = (device: string, argument: string): string =>
  `{ login { device(id: ${text(device)}) { events(${argument}) { items { id } total } } } }`

/** Every query field, every field of User, and every other field that takes arguments. */
export const queryCalls: Record<string, Call> = {
  ...webhookQueryCalls,
  'Query.version': { plain: () => '{ version }' },
  'Query.applicationTypes': { plain: () => '{ applicationTypes { id name description port protocol } }' },
  'Query.login': { plain: user('id email name created') },

  'User.id': { plain: user('id') },
  'User.email': { plain: user('email') },
  'User.name': { plain: user('name') },
  'User.created': { plain: user('created') },
  'User.contexts': { plain: user('contexts') },
  'User.accessKeys': { plain: user('accessKeys { key name lastUsed }') },
  'User.registrationCodes': { plain: user('registrationCodes { id prefix name used }') },
  'User.attributeNames': { plain: user('attributeNames { name devices services }') },
  'User.limits': { plain: user('limits { name value used }') },
  'User.attributes': {
    plain: user('attributes'),
    naming: {
      context: tries('own', ({ context }) => `{ login { attributes(context: ${text(context)}) } }`),
    },
  },
  'User.attribute': {
    plain: ({ attribute }) => `{ login { attribute(name: ${text(attribute)}) } }`,
    naming: {
      name: tries(
        { finds: { login: { attribute: null } } },
        ({ attribute }) => `{ login { attribute(name: ${text(attribute)}) } }`,
      ),
    },
    others: ['context'],
  },
  'User.overrides': {
    plain: ({ context }) => `{ login { overrides(context: ${text(context)}) } }`,
    naming: {
      context: tries(
        { finds: { login: { overrides: {} } } },
        ({ context }) => `{ login { overrides(context: ${text(context)}) } }`,
      ),
    },
  },
  'User.device': {
    plain: ({ device }) => `{ login { device(id: ${text(device)}) { id name } } }`,
    naming: {
      id: [
        tries(
          { finds: { login: { device: [] } } },
          ({ device }) => `{ login { device(id: ${text(device)}) { id name } } }`,
        ),
        tries({ finds: { login: { device: [] } } }, ({ userId, service }) => {
          return `{ login { device(id: [${text(userId)}, ${text(service)}]) { id name } } }`
        }),
      ],
    },
  },
  'User.service': {
    plain: ({ service }) => `{ login { service(id: ${text(service)}) { id name } } }`,
    naming: {
      id: tries({ finds: { login: { service: [] } } }, ({ service, device, userId }) => {
        return `{ login { service(id: [${[service, device, userId].map(text)}]) { id name device { id } } } }`
      }),
    },
  },
  'User.devices': {
    plain: user('devices { items { id name } total }'),
    naming: {
      after: [
        notFound(({ device }) => devices(`after: ${text(device)}`)),
        ofWrongKind(({ service }) => devices(`after: ${text(service)}`)),
        tries('own', ({ deviceCursor }) => devices(`after: ${text(deviceCursor)}`)),
      ],
      last: notFound(({ device }) => devices(`last: ${text(device)}`)),
      id: tries(noDevices, ({ device }) => devices(`id: ${text(device)}`)),
      name: tries(noDevices, ({ mark }) => devices(`name: ${text(mark)}`)),
      hardwareId: tries(noDevices, ({ hardwareId }) => devices(`hardwareId: ${text(hardwareId)}`)),
      platform: tries(noDevices, ({ mark }) => devices(`platform: ${text(`${mark}-device`)}`)),
      attributes: tries(noDevices, ({ attribute, mark }) => devices(`attributes: { ${attribute}: "${mark}-value" }`)),
      sort: tries('own', ({ attribute }) => devices(`sort: ${text(attribute)}`)),
      context: tries('own', ({ context, attribute }) => devices(`context: ${text(context)}, sort: ${text(attribute)}`)),
    },
    others: [...page, 'state', 'application'],
  },
  'User.events': {
    plain: user('events { items { id type } total }'),
    naming: {
      after: [
        notFound(({ event }) => events(`after: ${text(event)}`)),
        tries('own', ({ eventCursor }) => events(`after: ${text(eventCursor)}`)),
      ],
      last: notFound(({ event }) => events(`last: ${text(event)}`)),
      deviceId: [
        tries(noEvents, ({ device }) => events(`deviceId: ${text(device)}`)),
        tries(noEvents, ({ service, userId }) => events(`deviceId: [${text(service)}, ${text(userId)}]`)),
      ],
    },
    others: [...page, 'minDate', 'maxDate', 'types'],
  },
  'User.eventsUrl': {
    plain: user('eventsUrl'),
    naming: {
      deviceId: tries('empty download', ({ device }) => `{ login { eventsUrl(deviceId: ${text(device)}) } }`),
    },
    others: ['minDate', 'maxDate', 'types'],
  },

  'Device.events': {
    plain: ({ device }) => eventsOfOwn(device, 'size: 1'),
    naming: {
      after: [
        notFound(({ event }, own) => eventsOfOwn(own.device, `after: ${text(event)}`)),
        tries('own', ({ eventCursor }, own) => eventsOfOwn(own.device, `after: ${text(eventCursor)}`)),
      ],
      last: notFound(({ event }, own) => eventsOfOwn(own.device, `last: ${text(event)}`)),
    },
    others: [...page, 'minDate', 'maxDate', 'types'],
  },
  'Device.services': {
    plain: user('devices { items { services { id name } } }'),
    others: ['name', 'state', 'application', 'sort'],
  },
  'Device.attributes': { plain: user('devices { items { attributes } }'), others: ['context'] },
  'Device.attribute': { plain: user('devices { items { attribute(name: "a") } }'), others: ['name', 'context'] },
  'Device.overrides': {
    plain: ({ context }) => `{ login { devices { items { overrides(context: ${text(context)}) } } } }`,
    naming: {
      context: tries(
        { finds: { login: { devices: { items: [{ overrides: {} }] } } } },
        ({ context }) => `{ login { devices { items { overrides(context: ${text(context)}) } } } }`,
      ),
    },
  },
  'Service.attributes': { plain: user('devices { items { services { attributes } } }'), others: ['context'] },
  'Service.attribute': {
    plain: user('devices { items { services { attribute(name: "a") } } }'),
    others: ['name', 'context'],
  },
  'Service.overrides': {
    plain: ({ context }) => `{ login { devices { items { services { overrides(context: ${text(context)}) } } } } }`,
    others: ['context'],
  },
}
