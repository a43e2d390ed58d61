import { bulkCalls } from './bulk-calls.ts'
import { attempt, type Call, literal, notFound, ofWrongKind, user } from './call.ts'
import { eventCalls } from './event-calls.ts'
import { keyQueryCalls } from './key-calls.ts'
import { memberQueryCalls } from './member-calls.ts'
import { webhookQueryCalls } from './webhook-calls.ts'

const page = ['size', 'from']
const noDevices = { finds: { login: { devices: { items: [], total: 0 } } } }
const noServices = { finds: { login: { services: { items: [], total: 0 } } } }

const devices = (argument: string): string =>
  `{ login { devices(${argument}) { items { id name attributes } total } } }`
const services = (argument: string): string => `{ login { services(${argument}) { items { id name } total } } }`
const facets = (argument: string): string => `{ login { facets(${argument}) { buckets { value } total } } }`
const checkFilter = (where: string): string =>
  `{ login { checkFilter(where: ${literal(where)}, cursor: ${where.length}) { completions { text } } } }`

/** Calls of every field of Query and User, and of other fields with arguments, except mutations and subscriptions. */
export const queryCalls: Record<string, Call> = {
  ...webhookQueryCalls,
  ...bulkCalls.queries,
  ...eventCalls,
  ...keyQueryCalls,
  ...memberQueryCalls,
  'Query.version': { plain: () => '{ version }' },
  'Query.applicationTypes': { plain: () => '{ applicationTypes { id name description port protocol } }' },
  'Query.login': { plain: user('id email name created') },

  'Query.me': {
    plain: () => '{ me { person { id email } account { id } accounts { role { id } } grant { permissions } } }',
  },

  'User.account': {
    plain: user('account { id email }'),
    naming: {
      id: attempt(
        { finds: { login: { account: null } } },
        ({ userId }) => `{ login { account(id: ${literal(userId)}) { id email } } }`,
      ),
    },
  },
  'User.id': { plain: user('id') },
  'User.email': { plain: user('email') },
  'User.name': { plain: user('name') },
  'User.created': { plain: user('created') },
  'User.contexts': { plain: user('contexts') },
  'User.registrationCodes': { plain: user('registrationCodes { id prefix name used }') },
  'User.attributeNames': { plain: user('attributeNames { name devices services }') },
  'User.limits': { plain: user('limits { name value used }') },
  'User.attributes': {
    plain: user('attributes'),
    naming: {
      context: attempt('own', ({ context }) => `{ login { attributes(context: ${literal(context)}) } }`),
    },
  },
  'User.attributeInfo': {
    plain: ({ context }) => `{ login { attributeInfo(context: ${literal(context)}) { name value base changed } } }`,
    naming: {
      names: attempt(
        { finds: { login: { attributeInfo: [{ value: null, changed: null }] } } },
        ({ attribute }) => `{ login { attributeInfo(names: [${literal(attribute)}]) { value changed } } }`,
      ),
    },
    others: ['context'],
  },
  'User.attribute': {
    plain: ({ attribute }) => `{ login { attribute(name: ${literal(attribute)}) } }`,
    naming: {
      name: attempt(
        { finds: { login: { attribute: null } } },
        ({ attribute }) => `{ login { attribute(name: ${literal(attribute)}) } }`,
      ),
    },
    others: ['context'],
  },
  'User.overrides': {
    plain: ({ context }) => `{ login { overrides(context: ${literal(context)}) } }`,
    naming: {
      context: attempt(
        { finds: { login: { overrides: {} } } },
        ({ context }) => `{ login { overrides(context: ${literal(context)}) } }`,
      ),
    },
  },
  'User.device': {
    plain: ({ device }) => `{ login { device(id: ${literal(device)}) { id name } } }`,
    naming: {
      id: [
        attempt(
          { finds: { login: { device: [] } } },
          ({ device }) => `{ login { device(id: ${literal(device)}) { id name } } }`,
        ),
        attempt({ finds: { login: { device: [] } } }, ({ userId, service }) => {
          return `{ login { device(id: [${literal(userId)}, ${literal(service)}]) { id name } } }`
        }),
      ],
    },
  },
  'User.service': {
    plain: ({ service }) => `{ login { service(id: ${literal(service)}) { id name } } }`,
    naming: {
      id: attempt({ finds: { login: { service: [] } } }, ({ service, device, userId }) => {
        return `{ login { service(id: [${[service, device, userId].map(literal)}]) { id name device { id } } } }`
      }),
    },
  },
  'User.devices': {
    plain: user('devices { items { id name } total }'),
    naming: {
      after: [
        notFound(({ device }) => devices(`after: ${literal(device)}`)),
        ofWrongKind(({ service }) => devices(`after: ${literal(service)}`)),
        attempt('own', ({ deviceCursor }) => devices(`after: ${literal(deviceCursor)}`)),
      ],
      last: notFound(({ device }) => devices(`last: ${literal(device)}`)),
      id: attempt(noDevices, ({ device }) => devices(`id: ${literal(device)}`)),
      name: attempt(noDevices, ({ mark }) => devices(`name: ${literal(mark)}`)),
      hardwareId: attempt(noDevices, ({ hardwareId }) => devices(`hardwareId: ${literal(hardwareId)}`)),
      platform: attempt(noDevices, ({ mark }) => devices(`platform: ${literal(`${mark}-device`)}`)),
      attributes: attempt(noDevices, ({ attribute, mark }) => devices(`attributes: { ${attribute}: "${mark}-value" }`)),
      where: [
        attempt(noDevices, ({ device }) => devices(`where: ${literal(`id = ${device}`)}`)),
        // For a comparison with a fraction, the server also checks whether the attribute's values are versions.
        attempt(noDevices, ({ attribute }) => devices(`where: ${literal(`attributes.${attribute} > 0.5`)}`)),
        attempt(noDevices, ({ attribute, mark }) =>
          devices(`where: ${literal(`attributes.${attribute} = ${JSON.stringify(`${mark}-value`)}`)}`),
        ),
      ],
      view: [
        notFound(({ view }) => devices(`view: ${literal(view)}`)),
        notFound(({ view }) => devices(`where: ${literal(`view("${view}")`)}`)),
      ],
      sort: attempt('own', ({ attribute }) => devices(`sort: ${literal(attribute)}`)),
      sortBy: attempt('own', ({ attribute }) => devices(`sortBy: ["name", ${literal(`attributes.${attribute}`)}]`)),
      context: attempt('own', ({ context, attribute }) =>
        devices(`context: ${literal(context)}, sort: ${literal(attribute)}`),
      ),
    },
    others: [...page, 'state', 'application', 'now'],
  },
  'User.views': {
    plain: user('views { id name where createdBy { name } }'),
    naming: {
      id: attempt(
        { finds: { login: { views: [] } } },
        ({ view }) => `{ login { views(id: ${literal(view)}) { id name } } }`,
      ),
    },
    others: ['kind', 'label'],
  },
  'User.history': { plain: user('history { earliest timesSince }') },
  'User.freshness': { plain: user('freshness { name seconds stale }') },
  'User.facets': {
    plain: user('facets(by: ["name", "platform"]) { name buckets { value count active where } total }'),
    naming: {
      by: attempt('own', ({ attribute }) => facets(`by: ${literal(`attributes.${attribute}`)}`)),
      where: attempt({ finds: { login: { facets: [{ total: 0 }] } } }, ({ device }) => {
        return `{ login { facets(by: "name", where: ${literal(`id = ${device}`)}) { total } } }`
      }),
      view: notFound(({ view }) => facets(`by: "name", view: ${literal(view)}`)),
      context: attempt('own', ({ context, attribute }) =>
        facets(`by: ${literal(`attributes.${attribute}`)}, context: ${literal(context)}`),
      ),
    },
    others: ['size', 'interval'],
  },
  'User.presence': {
    plain: user('presence(from: "2026-11-01T00:00:00Z") { at devices online }'),
    naming: {},
    others: ['from', 'until'],
  },
  'User.deviceTotals': {
    plain: user('deviceTotals { total active inactive neverReported }'),
    naming: {
      where: attempt({ finds: { login: { deviceTotals: { total: 0 } } } }, ({ attribute, mark }) => {
        const where = `attributes.${attribute} = ${JSON.stringify(`${mark}-value`)}`
        return `{ login { deviceTotals(where: ${literal(where)}) { total } } }`
      }),
      view: notFound(({ view }) => `{ login { deviceTotals(view: ${literal(view)}) { total } } }`),
    },
    others: ['context'],
  },
  'User.checkFilter': {
    plain: user('checkFilter(where: "platform = ", cursor: 11) { completions { text count } }'),
    naming: {
      where: attempt('own', ({ attribute }) => checkFilter(`${attribute} = `)),
    },
    others: ['context', 'cursor', 'kind', 'usage'],
  },
  'User.services': {
    plain: user('services { items { id name device { id name } } total }'),
    naming: {
      after: notFound(({ service }) => services(`after: ${literal(service)}`)),
      last: notFound(({ service }) => services(`last: ${literal(service)}`)),
      where: [
        attempt(noServices, ({ device }) => services(`where: ${literal(`device.id = ${device}`)}`)),
        attempt(noServices, ({ service }) => services(`where: ${literal(`id = ${service}`)}`)),
      ],
      view: notFound(({ view }) => services(`view: ${literal(view)}`)),
      sortBy: attempt('own', ({ attribute }) => services(`sortBy: ${literal(`attributes.${attribute}`)}`)),
      context: attempt('own', ({ context, attribute }) =>
        services(`sortBy: ${literal(`attributes.${attribute}`)}, context: ${literal(context)}`),
      ),
    },
    others: [...page, 'now'],
  },
  'User.devicesUrl': {
    plain: user('devicesUrl'),
    naming: {
      where: attempt(
        'empty download',
        ({ device }) => `{ login { url: devicesUrl(where: ${literal(`id = ${device}`)}, columns: ["id", "name"]) } }`,
      ),
      view: [
        notFound(({ view }) => `{ login { devicesUrl(view: ${literal(view)}) } }`),
        notFound(({ view }) => `{ login { devicesUrl(where: ${literal(`view("${view}")`)}) } }`),
      ],
      columns: attempt(
        'empty download',
        ({ attribute, device }) =>
          `{ login { url: devicesUrl(where: ${literal(`id = ${device}`)}, columns: ["id", ${literal(`attributes.${attribute}`)}]) } }`,
      ),
      sortBy: attempt(
        'empty download',
        ({ attribute, device }) =>
          `{ login { url: devicesUrl(where: ${literal(`id = ${device}`)}, columns: ["id"], sortBy: [${literal(`attributes.${attribute}`)}]) } }`,
      ),
      context: attempt(
        'empty download',
        ({ context, device }) =>
          `{ login { url: devicesUrl(where: ${literal(`id = ${device}`)}, columns: ["id"], context: ${literal(context)}) } }`,
      ),
    },
    others: ['now'],
  },

  'Device.availability': {
    plain: user('devices { items { availability(from: "2026-11-01T00:00:00Z") { share segments { state } } } }'),
    naming: {},
    others: ['from', 'until'],
  },
  'Device.services': {
    plain: user('devices { items { services { id name } } }'),
    others: ['name', 'state', 'application', 'sort'],
  },
  'Device.attributes': { plain: user('devices { items { attributes } }'), others: ['context'] },
  'Device.attribute': { plain: user('devices { items { attribute(name: "a") } }'), others: ['name', 'context'] },
  'Device.attributeInfo': {
    plain: user('devices { items { attributeInfo { name value base changed } } }'),
    others: ['names', 'context'],
  },
  'Device.overrides': {
    plain: ({ context }) => `{ login { devices { items { overrides(context: ${literal(context)}) } } } }`,
    naming: {
      context: attempt(
        { finds: { login: { devices: { items: [{ overrides: {} }] } } } },
        ({ context }) => `{ login { devices { items { overrides(context: ${literal(context)}) } } } }`,
      ),
    },
  },
  'Service.attributes': { plain: user('devices { items { services { attributes } } }'), others: ['context'] },
  'Service.attribute': {
    plain: user('devices { items { services { attribute(name: "a") } } }'),
    others: ['name', 'context'],
  },
  'Service.attributeInfo': {
    plain: user('services { items { attributeInfo { name value base changed } } }'),
    others: ['names', 'context'],
  },
  'Service.overrides': {
    plain: ({ context }) => `{ login { devices { items { services { overrides(context: ${literal(context)}) } } } } }`,
    others: ['context'],
  },
}
