import { type GraphQLField, type GraphQLObjectType, type GraphQLSchema, getNamedType, isObjectType } from 'graphql'
import type { Belongings } from './belongings.ts'
import { text } from './call.ts'
import { mutationCalls } from './mutation-calls.ts'
import { queryCalls } from './query-calls.ts'
import { subscriptionCalls } from './subscription-calls.ts'

/** A document in which this is selected of objects of a type. */
type Way = (own: Belongings, selection: string) => string

/** Through `login`, by this path, whose braces are open. */
const throughLogin =
  (path: (own: Belongings) => string): Way =>
  (own, selection) => {
    const opened = `{ login { ${path(own)} { ${selection}`
    return `${opened} ${'}'.repeat(opened.split('{').length - opened.split('}').length)}`
  }

/** How each type is reached, by what names it where something does. Fields of a type that is not here fail the test. */
export const ways: Record<string, Way> = {
  AccessKey: throughLogin(() => 'accessKeys'),
  ApplicationType: (_own, selection) => `{ applicationTypes { ${selection} } }`,
  AttributeName: throughLogin(() => 'attributeNames'),
  AttributesResult: ({ device }, selection) =>
    `mutation { setAttributesMany(items: [{ serviceId: ${text(device)}, attributes: { x: "y" } }]) { ${selection} } }`,
  CreatedAccessKey: (_own, selection) => `mutation { createAccessKey(name: "x") { ${selection} } }`,
  CreatedRegistrationCode: (_own, selection) => `mutation { createRegistrationCode(name: "x") { ${selection} } }`,
  Device: throughLogin(({ device }) => `device(id: ${text(device)})`),
  DeviceList: throughLogin(({ mark }) => `devices(name: ${text(mark)})`),
  DeviceRegistration: ({ device }, selection) =>
    `mutation { rotateDeviceSecret(deviceId: ${text(device)}) { ${selection} } }`,
  Event: throughLogin(({ device }) => `events(deviceId: ${text(device)}) { items`),
  EventList: throughLogin(({ device }) => `events(deviceId: ${text(device)})`),
  ChangeSource: throughLogin(({ device }) => `events(deviceId: ${text(device)}) { items { source`),
  EventTarget: throughLogin(({ device }) => `events(deviceId: ${text(device)}) { items { target`),
  Limit: throughLogin(() => 'limits'),
  RegistrationCode: throughLogin(() => 'registrationCodes'),
  Service: throughLogin(({ service }) => `service(id: ${text(service)})`),
  User: (_own, selection) => `{ login { ${selection} } }`,
  UserReference: throughLogin(({ device }) => `device(id: ${text(device)}) { owner`),
  Webhook: throughLogin(({ webhook }) => `webhooks(id: ${text(webhook)})`),
  WebhookDelivery: throughLogin(({ webhook }) => `webhooks(id: ${text(webhook)}) { deliveries { items`),
  WebhookDeliveryList: throughLogin(({ webhook }) => `webhooks(id: ${text(webhook)}) { deliveries`),
}

/** What is given for an argument that must be. */
const given: Record<string, (own: Belongings) => string> = {
  context: ({ context }) => context,
  'Device.attribute(name:)': ({ attribute }) => attribute,
  'Service.attribute(name:)': ({ attribute }) => attribute,
  'User.attribute(name:)': ({ attribute }) => attribute,
  'User.device(id:)': ({ device }) => device,
  'User.service(id:)': ({ service }) => service,
}

/** One field, or all of a type, and a document that asks for it and for little else. */
export interface Question {
  field: string
  /** The type that it is a field of; undefined for a root. */
  type: string | undefined
  document: (own: Belongings) => string
}

/** Every type with fields, the roots apart. */
export function objectTypes(schema: GraphQLSchema): GraphQLObjectType[] {
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()]
  return Object.values(schema.getTypeMap())
    .filter(isObjectType)
    .filter((type) => !roots.includes(type) && !type.name.startsWith('__'))
}

/** What stands in an answer in which objects of this type were reached. */
export const reached = (type: string): string => `"reached":"${type}"`

/** A question for every field of the schema. Throws for one of which it is not written how it is asked for. */
export const everyField = (schema: GraphQLSchema): Question[] => [
  ...rootFields(schema),
  ...objectTypes(schema).flatMap((type) =>
    Object.values(type.getFields()).map((field) => ask(type, `${type.name}.${field.name}`, [field])),
  ),
]

/** The same in fewer requests: all fields of a type in one. */
export const everyType = (schema: GraphQLSchema): Question[] => [
  ...rootFields(schema),
  ...objectTypes(schema).map((type) => ask(type, type.name, Object.values(type.getFields()))),
]

function rootFields(schema: GraphQLSchema): Question[] {
  const calls = { ...queryCalls, ...mutationCalls, ...subscriptionCalls }
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()]
  return roots.flatMap((type) =>
    Object.keys(type?.getFields() ?? {}).map((name) => {
      const field = `${type!.name}.${name}`
      const call = calls[field]
      if (call === undefined) throw new Error(`it is not written how ${field} is called`)
      return { field, type: undefined, document: call.plain }
    }),
  )
}

function ask(type: GraphQLObjectType, name: string, fields: readonly GraphQLField<unknown, unknown>[]): Question {
  const way = ways[type.name]
  if (way === undefined) throw new Error(`it is not written how a ${type.name} is reached`)
  const select = (own: Belongings) => fields.map((field) => selectField(type, field, own)).join(' ')
  return { field: name, type: type.name, document: (own) => way(own, `reached: __typename ${select(own)}`) }
}

function selectField(type: GraphQLObjectType, field: GraphQLField<unknown, unknown>, own: Belongings): string {
  const args = field.args
    .filter((arg) => String(arg.type).endsWith('!') && arg.defaultValue === undefined)
    .map((arg) => {
      const value = given[`${type.name}.${field.name}(${arg.name}:)`] ?? given[arg.name]
      if (value === undefined) throw new Error(`it is not written what ${type.name}.${field.name}(${arg.name}:) takes`)
      return `${arg.name}: ${text(value(own))}`
    })
  const selection = isObjectType(getNamedType(field.type)) ? ' { __typename }' : ''
  return `${field.name}${args.length > 0 ? `(${args.join(', ')})` : ''}${selection}`
}
