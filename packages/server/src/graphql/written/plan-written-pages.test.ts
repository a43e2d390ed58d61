import { signRequest } from '@muster/http-signature'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { keyOf } from '../../../test/factories/keys.ts'
import { type SeedDevice, seedDevices } from '../../../test/factories/seed-devices.ts'
import { sharedTestApp, type TestApp, type TestUser } from '../../../test/harness/app.ts'

/**
 * Without PARITY_RUNS, the test always uses the same 60 documents, so only a change to the code can make it fail. With
 * PARITY_RUNS, the test generates that number of new documents each time.
 */
const { PARITY_RUNS } = process.env
const extent = PARITY_RUNS === undefined ? { numRuns: 60, seed: 1 } : { numRuns: Number(PARITY_RUNS) }

/** This server writes pages directly from rows, starting with the second use of a document. */
const app = sharedTestApp()
/** This server resolves every field with graphql-js. */
let plain: TestApp
let restricted: TestUser

const strings = ['plain', 'quote " and \\ backslash', 'tab \t and line \n', 'é', '機器', '🚀', '\u007f\u0085\u2028', '']

beforeAll(async () => {
  plain = await app.startAnother({ jit: false })
  const ids = await seedDevices(
    app.db,
    app.owner.accountId,
    strings.map(
      (text, index): SeedDevice => ({
        name: `${index} ${text}`,
        hardwareId: index % 3 === 0 ? null : `hardware ${index} ${text}`,
        platform: index % 2 === 0 ? null : text,
        created: new Date(1_700_000_000_000 + index * 10),
        state: index % 2 === 0 ? 'active' : 'inactive',
        lastReported: index % 4 === 0 ? null : new Date(1_700_000_000_000 + index),
        statusA: index % 3 === 0 ? null : text,
        attributes: index % 2 === 0 ? {} : { site: text, net: { ssid: text }, large: `${text} `.repeat(4_000) },
        overrides: index % 4 === 1 ? { night: { site: `night ${text}`, net: { mask: text } } } : {},
      }),
    ),
  )
  const add = `mutation ($device: String!, $name: String!, $port: Int, $host: String, $enabled: Boolean!) {
    addService(deviceId: $device, name: $name, application: 28, port: $port, host: $host, enabled: $enabled) { id }
  }`
  const services: string[] = []
  for (const [index, device] of ids.slice(0, 5).entries())
    for (let port = 1; port <= index; port++) {
      const name = `service ${port} of "${index}" é`
      const host = [null, '機器.example', 'fe80::1'][port % 3]
      const fields = { device, name, host, port: port === 3 ? null : port, enabled: port !== 2 }
      services.push((await app.owner.data(add, fields)).addService.id)
    }
  const report = 'mutation ($id: String!) { reportState(serviceId: $id, state: "active", ttl: 3600) }'
  for (const id of services.slice(0, 4)) await app.owner.data(report, { id })
  // Rows from another release can contain an application type that this release does not know.
  await app.db
    .updateTable('service')
    .set({ application: 4_711 })
    .where('account_id', '=', app.owner.accountId)
    .where('id', 'in', services.slice(2, 5))
    .execute()
  const access = 'access: { attributes: { read: ["site"], write: [] } }'
  restricted = await keyOf(app, (document) => app.owner.query(document), access)
})
afterAll(() => plain.close())

interface Document {
  query: string
  variables?: object
  isRestricted?: boolean
}

async function send(
  server: TestApp,
  { isRestricted = false, ...document }: Document,
): Promise<{ text: string; rateLimit: string | null }> {
  const { keyId, secret } = isRestricted ? restricted : app.owner
  const headers = { 'content-type': 'application/json' }
  const request = { method: 'POST', url: `${server.url}/graphql/v1`, body: JSON.stringify(document) }
  const key = { algorithm: 'hmac-sha256' as const, secret: Buffer.from(secret, 'base64') }
  const created = Math.floor(Date.now() / 1_000)
  const signature = signRequest({ ...request, headers, keyId, key, created })
  const response = await fetch(request.url, { ...request, headers: { ...headers, ...signature } })
  return { text: await response.text(), rateLimit: response.headers.get('ratelimit') }
}

async function expectSameResponse(document: Document): Promise<void> {
  const expected = await send(plain, document)
  for (let use = 1; use <= 3; use++) expect((await send(app, document)).text, document.query).toBe(expected.text)
}

const scalars =
  'id name hardwareId platform created state online stateSince lastReported categoryA statusA statusE __typename'
const leaf = fc.constantFrom(...scalars.split(' '))
const serviceScalars =
  'id name application title protocol host port enabled created state online lastReported __typename'
const serviceLeaf = fc.constantFrom(...serviceScalars.split(' '))

const context = fc.constantFrom('', '(context: "night")', '(context: $context)', '(context: "none")')
const serviceArguments = fc.constantFrom(
  '',
  '(sort: "port desc")',
  '(name: $name)',
  '(state: "inactive")',
  '(application: [28])',
  '(application: [])',
)

/** Generates fields that the server resolves, and that therefore prevent it from writing the page directly. */
const resolvedField = fc.constantFrom(
  'attribute(name: "site")',
  'contexts',
  'owner { email }',
  'name @include(if: $yes)',
  'hardwareId @skip(if: $yes)',
)

const several = (field: fc.Arbitrary<string>, maxLength: number): fc.Arbitrary<string> =>
  fc
    .array(field, { minLength: 1, maxLength })
    .map((fields) =>
      fields.map((each, index) => (/[({]/.test(each) || index % 3 === 2 ? `k${index}: ${each}` : each)).join(' '),
    )

const service = several(serviceLeaf, 5)
const deviceField = fc.oneof(
  { weight: 6, arbitrary: leaf },
  { weight: 2, arbitrary: context.map((args) => `attributes${args}`) },
  { weight: 2, arbitrary: fc.tuple(serviceArguments, service).map(([args, below]) => `services${args} { ${below} }`) },
  { weight: 1, arbitrary: resolvedField },
)
const device = several(deviceField, 6)
const page = fc
  .tuple(
    device,
    fc.constantFrom('(size: 3)', '', '(size: $size)', '(sort: "-name")', '(size: 2, from: 4)', '(name: "nothing")'),
    fc.constantFrom('', 'hasMore', 'total cursor', 'last total hasMore'),
    fc.boolean(),
  )
  .map(([items, args, others, isFragment]) => {
    const selection = isFragment ? '{ ... on Device { ...F } }' : `{ ${items} }`
    return { text: `devices${args} { ${others} items ${selection} }`, fragment: isFragment ? items : 'id' }
  })

/** Generates pages of services. The server resolves pages that select `device`, and writes the others directly. */
const servicesPage = fc
  .tuple(
    several(
      fc.oneof({ weight: 9, arbitrary: serviceLeaf }, { weight: 1, arbitrary: fc.constant('device { name }') }),
      6,
    ),
    fc.constantFrom('(size: 3)', '', '(sortBy: ["-port"])', '(size: 2, from: 4)', '(where: "port = 1")'),
    fc.constantFrom('', 'hasMore', 'total cursor', 'last total hasMore'),
  )
  .map(([items, args, others]) => ({ text: `services${args} { ${others} items { ${items} } }`, fragment: 'id' }))
const anyPage = fc.oneof({ weight: 3, arbitrary: page }, { weight: 1, arbitrary: servicesPage })

const declared = { $size: 'Int = 2', $name: 'String', $context: 'String', $yes: 'Boolean!' }
const values = { name: 'service', context: 'night', yes: true }

const document = fc
  .tuple(anyPage, fc.boolean(), fc.boolean())
  .map(([{ text, fragment }, isAlone, isRestricted]): Document => {
    const fragments = text.includes('...F') ? `fragment F on Device { ${fragment} }` : ''
    const body = `{ login { ${isAlone ? '' : 'email '}list: ${text} } } ${fragments}`
    const used = Object.entries(declared).filter(([name]) => body.includes(name))
    const declarations = used.length === 0 ? '' : `query (${used.map((each) => each.join(': ')).join(', ')}) `
    return { query: declarations + body, variables: values, isRestricted }
  })

describe('a page that is written directly from rows', () => {
  it('has the same bytes as a page whose fields are resolved', async () => {
    await fc.assert(fc.asyncProperty(document, expectSameResponse), extent)
  })

  it.each([
    '{ login { devices(size: 2) { items { services(sort: "a b c") { id } } } } }',
    '{ login { devices(size: 2) { items { name attributes(context: "") } } } }',
    '{ login { devices(size: 0) { items { id } } } }',
    'query ($state: String) { login { devices(size: 2) { items { services(state: $state) { id } } } } }',
  ])('reports the same errors for %s', (query) => expectSameResponse({ query, variables: { state: 'no state' } }))

  it.each([
    '{ login { a: devices(size: 1) { items { id } } b: devices(size: 2) { items { name services { id } } } } }',
    '{ login { devices(size: 2) { items { id } items { name services { id } services { name } } } } }',
    '{ login { a: devices(size: 2) { ...F } b: devices(size: 3) { ...F } } } fragment F on DeviceList { items { id } }',
    `{ login { a: devices(size: 2) { ...F items { name } } b: devices(size: 3) { ...F items { platform } } } }
     fragment F on DeviceList { items { id } }`,
    '{ login { devices(size: 1) { items { services { device { name } } } } services(size: 2) { items { name } } } }',
    '{ login { services { items { id name application title protocol host port enabled created state online lastReported } } } }',
    '{ login { devices { items { id } } } __type(name: "DeviceList") { fields { name type { kind } } } }',
    // The response to this query is larger than one chunk of the JSON writer.
    `{ login { devices { items { id ${[1, 2, 3, 4, 5, 6].map((each) => `a${each}: attributes`).join(' ')} } total } } }`,
  ])('has the same bytes for %s', (query) => expectSameResponse({ query }))

  it('is charged for the same number of objects whether the server resolves or writes it', async () => {
    // The clock is stopped, so that the quota is not refilled.
    const limited = await app.startAnother({ env: { MUSTER_KEY_POINTS: '1000000' }, elapsed: () => 0 })
    const query = '{ login { devices(size: 1000) { items { id services { id } } } } }'
    const left: number[] = []
    for (let use = 1; use <= 4; use++) {
      const { rateLimit } = await send(limited, { query })
      left.push(Number(/r=(\d+)/.exec(rateLimit!)![1]))
    }
    await limited.close()
    const costs = left.map((points, index) => (left[index - 1] ?? 1_000_000) - points)
    expect(costs).toEqual([costs[0], costs[0], costs[0], costs[0]])
  })
})
