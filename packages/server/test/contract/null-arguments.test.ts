import { randomUUID } from 'node:crypto'
import { type GraphQLArgument, type GraphQLObjectType, isNonNullType, isObjectType } from 'graphql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildSchema } from '../../src/schema.ts'
import { startTestApp, type TestApp, type TestUser } from '../harness/app.ts'

/** The required arguments of a field with optional arguments, and a document that shows the field's effect. */
interface FieldCall {
  required?: string
  document: (args: string) => string
}

/** A call of each field. Calls that create an object select only fields that are equal for any two new objects. */
const fieldCalls: Record<string, FieldCall> = {
  'Device.attribute': { required: 'name: "site"', document: (args) => ofDevice(`attribute${args}`) },
  'Device.attributes': { document: (args) => ofDevice(`attributes${args}`) },
  'Device.events': { document: (args) => ofDevice(`events${args} { total hasMore items { id } }`) },
  'Device.services': { document: (args) => ofDevice(`services${args} { name }`) },
  'Service.attribute': { required: 'name: "site"', document: (args) => ofDevice(`services { attribute${args} }`) },
  'Service.attributes': { document: (args) => ofDevice(`services { attributes${args} }`) },
  'User.accessKeys': { document: (args) => `{ login { accessKeys${args} { key } } }` },
  'AccessKey.unused': { document: (args) => `{ login { accessKeys { unused${args} } } }` },
  'AccessKey.usage': {
    document: (args) => `{ login { accessKeys(key: ["$key"]) { usage${args} { permission } } } }`,
  },
  'User.account': { document: (args) => `{ login { account${args} { id } } }` },
  'User.attribute': { required: 'name: "site"', document: (args) => `{ login { attribute${args} } }` },
  'User.attributes': { document: (args) => `{ login { attributes${args} } }` },
  'User.checkFilter': {
    required: 'where: "name:a"',
    document: (args) => `{ login { checkFilter${args} { canonical completions { text } } } }`,
  },
  'User.deviceTotals': { document: (args) => `{ login { deviceTotals${args} { total } } }` },
  'User.facets': {
    required: 'by: ["name"]',
    document: (args) => `{ login { facets${args} { buckets { value count } total } } }`,
  },
  'User.needs': {
    required: 'document: "{ login { webhooks { id } } }"',
    document: (args) => `{ login { needs${args} { field permission } } }`,
  },
  'User.simulate': {
    required: 'key: "$key"',
    document: (args) => `{ login { simulate${args} { allowed devices permissions { granted } reasons } } }`,
  },
  'User.presence': {
    required: 'from: "2026-11-01T00:00:00Z"',
    document: (args) => `{ login { presence${args} { at } } }`,
  },
  'Device.availability': {
    required: 'from: "2026-11-01T00:00:00Z"',
    document: (args) => ofDevice(`availability${args} { segments { state } }`),
  },
  'User.attributeHistory': {
    document: (args) => `{ login { attributeHistory${args} { total hasMore items { name } } } }`,
  },
  'Device.attributeHistory': {
    document: (args) => ofDevice(`attributeHistory${args} { total hasMore items { name old new } }`),
  },
  'Service.attributeHistory': {
    document: (args) => ofDevice(`services { attributeHistory${args} { total hasMore items { name } } }`),
  },
  'User.attributeInfo': { document: (args) => `{ login { attributeInfo${args} { name value changed } } }` },
  'Device.attributeInfo': { document: (args) => ofDevice(`attributeInfo${args} { name value changed }`) },
  'Service.attributeInfo': { document: (args) => ofDevice(`services { attributeInfo${args} { name value changed } }`) },
  'User.bulkJobs': { document: (args) => `{ login { bulkJobs${args} { hasMore } } }` },
  'BulkJob.items': {
    document: (args) => `{ login { bulkJob(id: "$bulkJob") { items${args} { total items { status } } } } }`,
  },
  'User.services': { document: (args) => `{ login { services${args} { total hasMore items { name } } } }` },
  'User.views': { document: (args) => `{ login { views${args} { name where } } }` },
  'User.devices': { document: (args) => `{ login { devices${args} { total hasMore items { name } } } }` },
  'User.events': { document: (args) => `{ login { events${args} { total hasMore items { id } } } }` },
  'User.devicesUrl': { document: (args) => `{ login { __typename devicesUrl${args} } }` },
  'User.eventCounts': { document: (args) => `{ login { eventCounts${args} { count } } }` },
  'User.eventsUrl': { document: (args) => `{ login { __typename eventsUrl${args} } }` },
  'User.webhooks': { document: (args) => `{ login { webhooks${args} { url } } }` },
  'Webhook.deliveries': { document: (args) => `{ login { webhooks { deliveries${args} { total hasMore } } } }` },
  'Mutation.createBulk': {
    required: 'target: { ids: ["$device"] }, operations: [{ setAttributes: { attributes: { site: "a" } } }]',
    document: (args) => bulk(`createBulk${args}`),
  },
  'Mutation.runBulk': {
    required:
      'target: { where: "name = nowhere" }, operations: [{ setAttributes: { attributes: { site: "a" } } }], expected: 0',
    document: (args) => bulk(`runBulk${args}`),
  },
  'Mutation.appendBulk': {
    required: 'id: "$bulkDraft", ids: ["$random"]',
    document: (args) => `mutation { appendBulk${args} { state } }`,
  },
  'Mutation.startBulk': {
    required: 'id: "$bulkJob", token: "x"',
    document: (args) => bulk(`startBulk${args}`),
  },
  'Mutation.resumeBulk': { required: 'id: "$bulkJob"', document: (args) => bulk(`resumeBulk${args}`) },
  'Mutation.undoBulk': { required: 'id: "$bulkJob"', document: (args) => bulk(`undoBulk${args}`) },
  'Mutation.addService': {
    required: 'deviceId: "$device", name: "added"',
    document: (args) => `mutation { addService${args} { name application host port enabled } }`,
  },
  'Mutation.createAccessKey': {
    document: (args) =>
      `mutation { createAccessKey${args} { accessKey { name expires readOnly permissions networks rateShare } } }`,
  },
  'Mutation.createInvitation': {
    required: 'roleId: "viewer"',
    document: (args) => `mutation { createInvitation${args} { email emailStatus role { id } } }`,
  },
  'Mutation.createRole': {
    required: 'name: "$random", access: { permissions: [DEVICE_READ] }',
    document: (args) => `mutation { createRole${args} { permissions groups } }`,
  },
  'Mutation.createRegistrationCode': {
    document: (args) => `mutation { createRegistrationCode${args} { registrationCode { name platform uses } } }`,
  },
  'Mutation.createWebhook': {
    required: 'url: "$receiver", enabled: false',
    document: (args) => `mutation { createWebhook${args} { name events enabled } }`,
  },
  'Mutation.createView': {
    required: 'name: "$random"',
    document: (args) => `mutation { createView${args} { where context sortBy labels isShared } }`,
  },
  'Mutation.updateView': {
    required: 'id: "$view"',
    document: (args) => `mutation { updateView${args} { name where sortBy labels } }`,
  },
  'Mutation.redeliver': { required: 'webhookId: "$webhook"', document: (args) => `mutation { redeliver${args} }` },
  'Mutation.registerDevice': {
    required: 'name: "registered"',
    document: (args) =>
      `mutation { registerDevice${args} { device { hardwareId platform attributes services { name } } } }`,
  },
  'Mutation.reportState': {
    required: 'serviceId: "$device", state: "active"',
    document: (args) => `mutation { reportState${args} }`,
  },
  'Mutation.rotateWebhookSecret': {
    required: 'id: "$webhook"',
    document: (args) => `mutation { rotateWebhookSecret${args} { events } }`,
  },
  'Mutation.setAttribute': {
    required: 'serviceId: "$device", name: "site", value: "oslo"',
    document: (args) => `mutation { setAttribute${args} }`,
  },
  'Mutation.setAttributes': {
    required: 'serviceId: "$device", attributes: { site: "oslo" }',
    document: (args) => `mutation { setAttributes${args} }`,
  },
  'Mutation.updateAccessKey': {
    required: 'key: "$key"',
    document: (args) => `mutation { updateAccessKey${args} { name enabled expires permissions networks rateShare } }`,
  },
  'Mutation.rotateAccessKey': {
    required: 'key: "$newKey"',
    document: (args) => `mutation { rotateAccessKey${args} { accessKey { name } } }`,
  },
  'Mutation.setKeyPolicy': {
    document: (args) => `mutation { setKeyPolicy${args} { maxDays personalKeys requireDigest enforcedFrom } }`,
  },
  'Mutation.updateAccount': { document: (args) => `mutation { updateAccount${args} { email name } }` },
  'Mutation.updateRole': {
    required: 'id: "$role"',
    document: (args) => `mutation { updateRole${args} { name permissions groups } }`,
  },
  'Mutation.updateDevice': {
    required: 'deviceId: "$device"',
    document: (args) => `mutation { updateDevice${args} { name hardwareId platform } }`,
  },
  'Mutation.updateService': {
    required: 'id: "$service"',
    document: (args) => `mutation { updateService${args} { name application host port enabled } }`,
  },
  'Mutation.updateWebhook': {
    required: 'id: "$webhook"',
    document: (args) => `mutation { updateWebhook${args} { name events enabled url } }`,
  },
}

/**
 * Fields and arguments that this test skips. Subscriptions use another endpoint. For four arguments, null removes the
 * attribute, the interval, the port, or the name. A view can be deleted only once, and the test of REST calls passes null for
 * `replaceBy`.
 */
const excluded = [
  'Subscription.events',
  'Mutation.setAttribute(value)',
  'Mutation.setExpectedInterval(seconds)',
  'Mutation.updateService(port)',
  'Mutation.deleteView(replaceBy)',
  'Mutation.updateAccount(name)',
]

function bulk(call: string): string {
  return `mutation { ${call} { state rate maxFailures counts { total change } } }`
}

function ofDevice(selection: string): string {
  return `{ login { device(id: ["$device"]) { ${selection} } } }`
}

/** Returns the optional arguments of each field. */
function optionalArguments(): Map<string, string[]> {
  const isOptional = ({ type }: GraphQLArgument): boolean => !isNonNullType(type)
  const fields = Object.values(buildSchema().getTypeMap())
    .filter((type): type is GraphQLObjectType => isObjectType(type) && !type.name.startsWith('__'))
    .flatMap((type) => Object.values(type.getFields()).map((field) => ({ path: `${type.name}.${field.name}`, field })))
    .filter(({ path }) => !excluded.includes(path))
  const named = fields.map(({ path, field }): [string, string[]] => [
    path,
    field.args
      .filter((argument) => isOptional(argument) && !excluded.includes(`${path}(${argument.name})`))
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
  const { createView } = await user.data('mutation { createView(name: "all") { id } }')
  const { createRole } = await user.data(
    'mutation { createRole(name: "Readers", access: { permissions: [DEVICE_READ] }) { id } }',
  )
  const create = async (open: boolean): Promise<string> => {
    const { createBulk } = await user.data(
      `mutation { createBulk(target: { ids: ["${registerDevice.device.id}"] }, open: ${open},
        operations: [{ setAttributes: { attributes: { site: "b" } } }]) { id } }`,
    )
    return createBulk.id
  }
  known = {
    $bulkJob: await create(false),
    $bulkDraft: await create(true),
    $device: registerDevice.device.id,
    $service: registerDevice.device.services[0].id,
    $webhook: createWebhook.id,
    $view: createView.id,
    $role: createRole.id,
    $receiver: receiver,
    $key: user.keyId,
  }
})
afterAll(() => app.close())

async function runDocument(text: string) {
  // Creates a user for each rotation, because a key can be rotated only once.
  const caller = text.includes('$newKey') ? await app.createUser() : user
  const document = Object.entries(known)
    .reduce((result, [name, value]) => result.replaceAll(name, value), text)
    .replaceAll('$random', randomUUID())
    .replaceAll('$newKey', caller.keyId)
  const { data, errors } = await caller.query(document)
  // Ignores the signature in download URLs, which is always new.
  return JSON.parse(
    JSON.stringify({ data, errors: errors?.map(({ message }) => message) }).replace(
      /\/(events|devices)\/v1[^"]*/,
      'URL',
    ),
  )
}

test('covers every field that has optional arguments', () => {
  expect(Object.keys(fieldCalls).toSorted()).toEqual([...optionalArguments().keys()].toSorted())
})

test.each(Object.keys(fieldCalls))('treats null like an omitted optional argument of %s', async (path) => {
  const { required, document } = fieldCalls[path]!
  const documentWith = (more: readonly string[]): string => {
    const args = [...(required === undefined ? [] : [required]), ...more].join(', ')
    return document(args === '' ? '' : `(${args})`)
  }
  const nulls = optionalArguments()
    .get(path)!
    .filter((name) => required?.includes(`${name}:`) !== true)
    .map((name) => `${name}: null`)
  const expected = await runDocument(documentWith([]))
  for (const more of [...nulls.map((one) => [one]), nulls])
    expect(await runDocument(documentWith(more)), more.join()).toEqual(expected)
})

test('treats null like an omitted input field', async () => {
  const service = await runDocument(
    `mutation { registerDevice(name: "a", services: [{ name: "s" }]) { device { services { application host port enabled } } } }`,
  )
  const nulls = 'application: null, enabled: null, host: null, port: null'
  expect(
    await runDocument(
      `mutation { registerDevice(name: "a", services: [{ name: "s", ${nulls} }]) { device { services { application host port enabled } } } }`,
    ),
  ).toEqual(service)
  const item = 'serviceId: "$device", attributes: { site: "rome" }'
  const set = await runDocument(`mutation { setAttributesMany(items: [{ ${item} }]) { attributes code } }`)
  expect(
    await runDocument(`mutation { setAttributesMany(items: [{ ${item}, context: null }]) { attributes code } }`),
  ).toEqual(set)
})
