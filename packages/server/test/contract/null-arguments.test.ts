import { randomUUID } from 'node:crypto'
import { type GraphQLArgument, type GraphQLObjectType, isNonNullType, isObjectType } from 'graphql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildSchema } from '../../src/schema.ts'
import { startTestApp, type TestApp, type TestUser } from '../harness/app.ts'
import { fieldCalls } from './optional-argument-calls.ts'

/**
 * Fields and arguments that this test skips. Subscriptions use another endpoint. For four arguments, null removes the
 * attribute, the interval, the port, or the name. A view can be deleted only once, and the REST test passes null for
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
  // Create a user for each rotation, because a key can be rotated only once.
  const caller = text.includes('$newKey') ? await app.createUser() : user
  const document = Object.entries(known)
    .reduce((result, [name, value]) => result.replaceAll(name, value), text)
    .replaceAll('$random', randomUUID())
    .replaceAll('$newKey', caller.keyId)
  const { data, errors } = await caller.query(document)
  // Ignore the signature in download URLs, which is always new.
  return JSON.parse(
    JSON.stringify({ data, errors: errors?.map(({ message }) => message) }).replace(
      /\/(events|devices)\/v1[^"]*/,
      'URL',
    ),
  )
}

test('covers every field that has optional arguments and is not excluded', () => {
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
