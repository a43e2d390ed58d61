import { type GraphQLField, type GraphQLObjectType, type GraphQLSchema, getNamedType, isObjectType } from 'graphql'
import { literal } from './call.ts'
import { mutationCalls } from './mutation-calls.ts'
import type { OwnedObjects } from './owned-objects.ts'
import { queryCalls } from './query-calls.ts'
import { subscriptionCalls } from './subscription-calls.ts'

type TypeQuery = (own: OwnedObjects, selection: string) => string

/** Builds a query that selects fields through `login` and `path`. Adds the closing braces, which `path` omits. */
const throughLogin =
  (path: (own: OwnedObjects) => string): TypeQuery =>
  (own, selection) => {
    const opened = `{ login { ${path(own)} { ${selection}`
    return `${opened} ${'}'.repeat(opened.split('{').length - opened.split('}').length)}`
  }

/** A document for each object type except the root types. A test fails if a type is missing from this table. */
export const typeQueries: Record<string, TypeQuery> = {
  AccountReference: (_own, selection) => `{ me { account { ${selection} } } }`,
  Grant: (_own, selection) => `{ me { grant { ${selection} } } }`,
  Invitation: throughLogin(() => 'invitations'),
  Me: (_own, selection) => `{ me { ${selection} } }`,
  Member: throughLogin(() => 'members'),
  Membership: (_own, selection) => `{ me { accounts { ${selection} } } }`,
  Person: throughLogin(() => 'members { person'),
  Role: throughLogin(() => 'roles'),
  AccessKey: throughLogin(({ accessKey }) => `accessKeys(key: [${literal(accessKey)}])`),
  KeyUse: throughLogin(({ accessKey }) => `accessKeys(key: [${literal(accessKey)}]) { usage`),
  PermissionVerdict: throughLogin(() => 'simulate(access: {}) { permissions'),
  Simulation: throughLogin(() => 'simulate(access: {})'),
  Need: throughLogin(() => 'needs(document: "{ login { webhooks { id } } }")'),
  KeyPolicy: throughLogin(() => 'keyPolicy'),
  ApplicationType: (_own, selection) => `{ applicationTypes { ${selection} } }`,
  AttributeChange: throughLogin(({ device }) => `device(id: ${literal(device)}) { attributeHistory { items`),
  AttributeChangeList: throughLogin(({ device }) => `device(id: ${literal(device)}) { attributeHistory`),
  AttributeInfo: throughLogin(({ device }) => `device(id: ${literal(device)}) { attributeInfo`),
  HistorySpan: throughLogin(() => 'history'),
  Freshness: (_own, selection) => `mutation { setExpectedInterval(name: "load", seconds: 60) { ${selection} } }`,
  AttributeName: throughLogin(() => 'attributeNames'),
  AttributeScope: throughLogin(() => 'roles { attributes'),
  AttributesResult: ({ device }, selection) =>
    `mutation { setAttributesMany(items: [{ serviceId: ${literal(device)}, attributes: { x: "y" } }]) { ${selection} } }`,
  BulkCounts: throughLogin(({ bulkJob }) => `bulkJob(id: ${literal(bulkJob)}) { counts`),
  BulkItem: throughLogin(({ bulkJob }) => `bulkJob(id: ${literal(bulkJob)}) { items { items`),
  BulkItemList: throughLogin(({ bulkJob }) => `bulkJob(id: ${literal(bulkJob)}) { items`),
  BulkJob: throughLogin(({ bulkJob }) => `bulkJob(id: ${literal(bulkJob)})`),
  BulkJobList: throughLogin(() => 'bulkJobs'),
  CreatedAccessKey: (_own, selection) => `mutation { createAccessKey(name: "x") { ${selection} } }`,
  CreatedRegistrationCode: (_own, selection) => `mutation { createRegistrationCode(name: "x") { ${selection} } }`,
  Device: throughLogin(({ device }) => `device(id: ${literal(device)})`),
  DeviceList: throughLogin(({ mark }) => `devices(name: ${literal(mark)})`),
  DeviceTotals: throughLogin(() => 'deviceTotals'),
  DeviceRegistration: ({ device }, selection) =>
    `mutation { rotateDeviceSecret(deviceId: ${literal(device)}) { ${selection} } }`,
  Event: throughLogin(({ device }) => `events(deviceId: ${literal(device)}) { items`),
  EventList: throughLogin(({ device }) => `events(deviceId: ${literal(device)})`),
  ChangeSource: throughLogin(({ device }) => `events(deviceId: ${literal(device)}) { items { source`),
  EventTarget: throughLogin(({ device }) => `events(deviceId: ${literal(device)}) { items { target`),
  Availability: throughLogin(
    ({ device }) => `device(id: ${literal(device)}) { availability(from: "2026-11-01T00:00:00Z")`,
  ),
  AvailabilitySegment: throughLogin(
    ({ device }) => `device(id: ${literal(device)}) { availability(from: "2026-11-01T00:00:00Z") { segments`,
  ),
  EventCount: throughLogin(() => 'eventCounts'),
  PresencePoint: throughLogin(() => 'presence(from: "2026-11-01T00:00:00Z")'),
  Facet: throughLogin(() => 'facets(by: ["name"])'),
  FacetBucket: throughLogin(() => 'facets(by: ["name"]) { buckets'),
  FilterCheck: throughLogin(() => 'checkFilter(where: "name:a", cursor: 0)'),
  FilterCompletion: throughLogin(() => 'checkFilter(where: "", cursor: 0) { completions'),
  FilterProblem: throughLogin(() => 'checkFilter(where: "=") { problems'),
  FilterTerm: throughLogin(() => 'checkFilter(where: "name:a") { terms'),
  Limit: throughLogin(() => 'limits'),
  RegistrationCode: throughLogin(() => 'registrationCodes'),
  Service: throughLogin(({ service }) => `service(id: ${literal(service)})`),
  ServiceList: throughLogin(() => 'services'),
  User: (_own, selection) => `{ login { ${selection} } }`,
  UserReference: throughLogin(({ device }) => `device(id: ${literal(device)}) { owner`),
  View: throughLogin(() => 'views'),
  ViewColumn: throughLogin(() => 'views { columns'),
  Webhook: throughLogin(({ webhook }) => `webhooks(id: ${literal(webhook)})`),
  WebhookDelivery: throughLogin(({ webhook }) => `webhooks(id: ${literal(webhook)}) { deliveries { items`),
  WebhookDeliveryList: throughLogin(({ webhook }) => `webhooks(id: ${literal(webhook)}) { deliveries`),
}

const requiredArguments: Record<string, (own: OwnedObjects) => string> = {
  'User.needs(document:)': () => '{ version }',
  context: ({ context }) => context,
  'Device.attribute(name:)': ({ attribute }) => attribute,
  'Service.attribute(name:)': ({ attribute }) => attribute,
  'User.attribute(name:)': ({ attribute }) => attribute,
  'User.device(id:)': ({ device }) => device,
  'User.checkFilter(where:)': () => 'name:a',
  'User.bulkJob(id:)': ({ bulkJob }) => bulkJob,
  'User.facets(by:)': () => 'name',
  'User.presence(from:)': () => '2026-11-01T00:00:00Z',
  'Device.availability(from:)': () => '2026-11-01T00:00:00Z',
  'User.service(id:)': ({ service }) => service,
}

/** Arguments for fields that require at least one of several optional arguments. */
const otherArguments: Record<string, string> = { 'User.simulate': 'access: {}' }

/** One field, or all fields of a type, with a document that selects little else. */
export interface FieldRequest {
  field: string
  /** Undefined for root fields. */
  type: string | undefined
  document: (own: OwnedObjects) => string
}

export function objectTypes(schema: GraphQLSchema): GraphQLObjectType[] {
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()]
  return Object.values(schema.getTypeMap())
    .filter(isObjectType)
    .filter((type) => !roots.includes(type) && !type.name.startsWith('__'))
}

export const reached = (type: string): string => `"reached":"${type}"`

/** Returns a request for every field of the schema. Throws if a root field has no call, or if a type has no query. */
export const everyField = (schema: GraphQLSchema): FieldRequest[] => [
  ...rootFields(schema),
  ...objectTypes(schema).flatMap((type) =>
    Object.values(type.getFields()).map((field) => requestFor(type, `${type.name}.${field.name}`, [field])),
  ),
]

/** Returns fewer requests than `everyField`: one for each root field, and one for all fields of each other type. */
export const everyType = (schema: GraphQLSchema): FieldRequest[] => [
  ...rootFields(schema),
  ...objectTypes(schema).map((type) => requestFor(type, type.name, Object.values(type.getFields()))),
]

function rootFields(schema: GraphQLSchema): FieldRequest[] {
  const calls = { ...queryCalls, ...mutationCalls, ...subscriptionCalls }
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()]
  return roots.flatMap((type) =>
    Object.keys(type?.getFields() ?? {}).map((name) => {
      const field = `${type!.name}.${name}`
      const call = calls[field]
      if (call === undefined)
        throw new Error(`${field} has no call: add one to a *-calls.ts file in packages/server/test/access`)
      return { field, type: undefined, document: call.plain }
    }),
  )
}

function requestFor(
  type: GraphQLObjectType,
  name: string,
  fields: readonly GraphQLField<unknown, unknown>[],
): FieldRequest {
  const typeQuery = typeQueries[type.name]
  if (typeQuery === undefined) throw new Error(`${type.name} has no query: add one to type-queries.ts`)
  const select = (own: OwnedObjects) => fields.map((field) => selectField(type, field, own)).join(' ')
  return { field: name, type: type.name, document: (own) => typeQuery(own, `reached: __typename ${select(own)}`) }
}

function selectField(type: GraphQLObjectType, field: GraphQLField<unknown, unknown>, own: OwnedObjects): string {
  const args = field.args
    .filter((arg) => String(arg.type).endsWith('!') && arg.defaultValue === undefined)
    .map((arg) => {
      const value = requiredArguments[`${type.name}.${field.name}(${arg.name}:)`] ?? requiredArguments[arg.name]
      if (value === undefined)
        throw new Error(`${type.name}.${field.name}(${arg.name}:) has no value: add one to type-queries.ts`)
      return `${arg.name}: ${literal(value(own))}`
    })
  const other = otherArguments[`${type.name}.${field.name}`]
  if (other !== undefined) args.push(other)
  const selection = isObjectType(getNamedType(field.type)) ? ' { __typename }' : ''
  return `${field.name}${args.length > 0 ? `(${args.join(', ')})` : ''}${selection}`
}
