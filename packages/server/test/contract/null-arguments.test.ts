import { type GraphQLArgument, type GraphQLObjectType, isNonNullType, isObjectType } from 'graphql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildSchema } from '../../src/schema.ts'
import { startTestApp, type TestApp, type TestUser } from '../harness/app.ts'

/** A field with optional arguments: what it needs to be asked at all, and a document around it that shows what it does. */
interface Asked {
  needs?: string
  document: (args: string) => string
}

/** Of each new thing what does not differ from the next one. */
const asked: Record<string, Asked> = {
  'Device.attribute': { needs: 'name: "site"', document: (args) => ofDevice(`attribute${args}`) },
  'Device.attributes': { document: (args) => ofDevice(`attributes${args}`) },
  'Device.events': { document: (args) => ofDevice(`events${args} { total hasMore items { id } }`) },
  'Device.services': { document: (args) => ofDevice(`services${args} { name }`) },
  'Service.attribute': { needs: 'name: "site"', document: (args) => ofDevice(`services { attribute${args} }`) },
  'Service.attributes': { document: (args) => ofDevice(`services { attributes${args} }`) },
  'User.attribute': { needs: 'name: "site"', document: (args) => `{ login { attribute${args} } }` },
  'User.attributes': { document: (args) => `{ login { attributes${args} } }` },
  'User.devices': { document: (args) => `{ login { devices${args} { total hasMore items { name } } } }` },
  'User.events': { document: (args) => `{ login { events${args} { total hasMore items { id } } } }` },
  'User.eventsUrl': { document: (args) => `{ login { __typename eventsUrl${args} } }` },
  'User.webhooks': { document: (args) => `{ login { webhooks${args} { url } } }` },
  'Webhook.deliveries': { document: (args) => `{ login { webhooks { deliveries${args} { total hasMore } } } }` },
  'Mutation.addService': {
    needs: 'deviceId: "$device", name: "added"',
    document: (args) => `mutation { addService${args} { name application host port enabled } }`,
  },
  'Mutation.createAccessKey': {
    document: (args) => `mutation { createAccessKey${args} { accessKey { name expires readOnly } } }`,
  },
  'Mutation.createRegistrationCode': {
    document: (args) => `mutation { createRegistrationCode${args} { registrationCode { name platform uses } } }`,
  },
  'Mutation.createWebhook': {
    needs: 'url: "$receiver", enabled: false',
    document: (args) => `mutation { createWebhook${args} { name events enabled } }`,
  },
  'Mutation.redeliver': { needs: 'webhookId: "$webhook"', document: (args) => `mutation { redeliver${args} }` },
  'Mutation.registerDevice': {
    needs: 'name: "registered"',
    document: (args) =>
      `mutation { registerDevice${args} { device { hardwareId platform attributes services { name } } } }`,
  },
  'Mutation.reportState': {
    needs: 'serviceId: "$device", state: "active"',
    document: (args) => `mutation { reportState${args} }`,
  },
  'Mutation.rotateWebhookSecret': {
    needs: 'id: "$webhook"',
    document: (args) => `mutation { rotateWebhookSecret${args} { events } }`,
  },
  'Mutation.setAttribute': {
    needs: 'serviceId: "$device", name: "site", value: "oslo"',
    document: (args) => `mutation { setAttribute${args} }`,
  },
  'Mutation.setAttributes': {
    needs: 'serviceId: "$device", attributes: { site: "oslo" }',
    document: (args) => `mutation { setAttributes${args} }`,
  },
  'Mutation.updateAccessKey': {
    needs: 'key: "$key"',
    document: (args) => `mutation { updateAccessKey${args} { name enabled } }`,
  },
  'Mutation.updateDevice': {
    needs: 'deviceId: "$device"',
    document: (args) => `mutation { updateDevice${args} { name hardwareId platform } }`,
  },
  'Mutation.updateService': {
    needs: 'id: "$service"',
    document: (args) => `mutation { updateService${args} { name application host port enabled } }`,
  },
  'Mutation.updateWebhook': {
    needs: 'id: "$webhook"',
    document: (args) => `mutation { updateWebhook${args} { name events enabled url } }`,
  },
}

/** A stream is asked otherwise; null takes an attribute away, and clears a port: what stands there goes. */
const leftOut = ['Subscription.events', 'Mutation.setAttribute(value)', 'Mutation.updateService(port)']

function ofDevice(selection: string): string {
  return `{ login { device(id: ["$device"]) { ${selection} } } }`
}

/** Optional arguments by the fields that have them. */
function optionalArguments(): Map<string, string[]> {
  const isOptional = ({ type }: GraphQLArgument): boolean => !isNonNullType(type)
  const fields = Object.values(buildSchema().getTypeMap())
    .filter((type): type is GraphQLObjectType => isObjectType(type) && !type.name.startsWith('__'))
    .flatMap((type) => Object.values(type.getFields()).map((field) => ({ path: `${type.name}.${field.name}`, field })))
    .filter(({ path }) => !leftOut.includes(path))
  const named = fields.map(({ path, field }): [string, string[]] => [
    path,
    field.args
      .filter((argument) => isOptional(argument) && !leftOut.includes(`${path}(${argument.name})`))
      .map(({ name }) => name),
  ])
  return new Map(named.filter(([, names]) => names.length > 0))
}

let app: TestApp
let user: TestUser
let known: Record<string, string>
beforeAll(async () => {
  app = await startTestApp()
  user = await app.createUser()
  const { registerDevice } = await user.data(`mutation { registerDevice(name: "gate", attributes: { site: "oslo" },
    services: [{ name: "ssh", application: 28 }]) { device { id services { id } } } }`)
  const receiver = 'https://example.com/hook'
  const { createWebhook } = await user.data(`mutation { createWebhook(url: "${receiver}", enabled: false) { id } }`)
  known = {
    $device: registerDevice.device.id,
    $service: registerDevice.device.services[0].id,
    $webhook: createWebhook.id,
    $receiver: receiver,
    $key: user.keyId,
  }
})
afterAll(() => app.close())

async function ask(text: string) {
  const document = Object.entries(known).reduce((so, [name, value]) => so.replaceAll(name, value), text)
  const { data, errors } = await user.query(document)
  // A URL of a download is signed anew each time.
  return JSON.parse(
    JSON.stringify({ data, errors: errors?.map(({ message }) => message) }).replace(/\/events\/v1[^"]*/, 'URL'),
  )
}

test('every field with optional arguments is asked', () => {
  expect(Object.keys(asked).toSorted()).toEqual([...optionalArguments().keys()].toSorted())
})

test.each(Object.keys(asked))('null for an optional argument of %s means that it was left away', async (path) => {
  const { needs, document } = asked[path]!
  const documentWith = (more: readonly string[]): string => {
    const args = [...(needs === undefined ? [] : [needs]), ...more].join(', ')
    return document(args === '' ? '' : `(${args})`)
  }
  const nulls = optionalArguments()
    .get(path)!
    .filter((name) => needs?.includes(`${name}:`) !== true)
    .map((name) => `${name}: null`)
  const expected = await ask(documentWith([]))
  for (const more of [...nulls.map((one) => [one]), nulls])
    expect(await ask(documentWith(more)), more.join()).toEqual(expected)
})

test('null for a field of an input means that it was left away', async () => {
  const service = await ask(
    `mutation { registerDevice(name: "a", services: [{ name: "s" }]) { device { services { application host port enabled } } } }`,
  )
  const nulls = 'application: null, enabled: null, host: null, port: null'
  expect(
    await ask(
      `mutation { registerDevice(name: "a", services: [{ name: "s", ${nulls} }]) { device { services { application host port enabled } } } }`,
    ),
  ).toEqual(service)
  const item = 'serviceId: "$device", attributes: { site: "rome" }'
  const set = await ask(`mutation { setAttributesMany(items: [{ ${item} }]) { attributes code } }`)
  expect(await ask(`mutation { setAttributesMany(items: [{ ${item}, context: null }]) { attributes code } }`)).toEqual(
    set,
  )
})
