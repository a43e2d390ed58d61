import { expect } from 'vitest'
import type { QueryResponse, TestUser } from '../harness/app.ts'

export type Outcome<Result> = { result: Result } | { code: string; message: string }

export interface Write {
  serviceId: string
  attributes: unknown
  context?: string | null
}

type Tree = Record<string, unknown>

export const rejectedWith = (code: string, message: RegExp) => ({ code, message: expect.stringMatching(message) })

export interface AttributeClient {
  addDevice(attributes?: Tree): Promise<string>
  addService(deviceId: string): Promise<string>
  set(name: string, value: string | null, serviceId: string, context?: string | null): Promise<Outcome<string | null>>
  setAll(attributes: unknown, serviceId: string, context?: string | null): Promise<Outcome<Tree>>
  setMany(items: readonly Write[]): Promise<QueryResponse>
  /** Returns the attributes and contexts of a device, service, or user, or null if the object does not exist. */
  read(id: string, context?: string | null): Promise<{ attributes: Tree; contexts: string[] } | null>
  /** Returns the attributes in each of `contexts`, and the names of all contexts. Sends one query. */
  readEach(id: string, contexts: readonly (string | null)[]): Promise<{ attributes: Tree[]; contexts: string[] }>
  changes(): Promise<Change[]>
}

export interface Change {
  target: { id: string; name: string; kind: string }[]
  data: { context: string | null; changes: Record<string, { old: string | null; new: string | null }> }
}

const setDocument = `mutation ($name: String!, $value: String, $serviceId: String!, $context: String) {
  setAttribute(name: $name, value: $value, serviceId: $serviceId, context: $context) }`
const setAllDocument = `mutation ($attributes: Object!, $serviceId: String!, $context: String) {
  setAttributes(attributes: $attributes, serviceId: $serviceId, context: $context) }`
const setManyDocument = `mutation ($items: [AttributesInput!]!) {
  setAttributesMany(items: $items) { serviceId attributes code message } }`
const readDocument = `query ($ids: [String!]!, $context: String) { login {
  attributes(context: $context) contexts
  service(id: $ids) { attributes(context: $context) contexts } } }`

export function attributeClient(user: TestUser): AttributeClient {
  return {
    addDevice: async (attributes) => {
      const document =
        'mutation ($attributes: Object) { registerDevice(name: "device", attributes: $attributes) { device { id } } }'
      return (await user.data(document, { attributes })).registerDevice.device.id
    },
    addService: async (deviceId) => {
      const document = 'mutation ($id: String!) { addService(deviceId: $id, name: "service") { id } }'
      return (await user.data(document, { id: deviceId })).addService.id
    },
    set: async (name, value, serviceId, context) =>
      outcome(await user.query(setDocument, { name, value, serviceId, context }), 'setAttribute'),
    setAll: async (attributes, serviceId, context) =>
      outcome(await user.query(setAllDocument, { attributes, serviceId, context }), 'setAttributes'),
    setMany: (items) => user.query(setManyDocument, { items }),
    read: async (id, context) => {
      const ofUser = id === user.accountId
      const { login } = await user.data(readDocument, { ids: ofUser ? [] : [id], context })
      const { service, ...own } = login
      return ofUser ? own : (service[0] ?? null)
    },
    readEach: async (id, contexts) => {
      const fields = contexts.map((context, index) => `c${index}: attributes(context: ${JSON.stringify(context)})`)
      const read = `{ ${fields.join(' ')} contexts }`
      const { login } = await user.data(
        id === user.accountId ? `{ login ${read} }` : `{ login { service(id: ["${id}"]) ${read} } }`,
      )
      const found = id === user.accountId ? login : login.service[0]
      return { attributes: contexts.map((_, index) => found[`c${index}`]), contexts: found.contexts }
    },
    changes: async () => {
      const { login } = await user.data(
        '{ login { events(size: 1000, types: [ATTRIBUTE_CHANGE]) { items { target { id name kind } data } } } }',
      )
      return login.events.items.reverse()
    },
  }
}

function outcome<Result>({ data, errors }: QueryResponse, field: string): Outcome<Result> {
  if (errors === undefined) return { result: (data as Record<string, Result>)[field]! }
  return { code: errors[0]!.extensions.code, message: errors[0]!.message }
}
