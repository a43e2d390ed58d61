import { beforeAll, describe, expect, test } from 'vitest'
import { sharedTestApp, type TestUser } from '../../../test/harness/app.ts'
import { applicationTypeForPort, applicationTypes, BULK_SERVICE, findApplicationType } from './application-types.ts'

const app = sharedTestApp()
let other: TestUser

beforeAll(async () => {
  other = await app.createUser()
})

interface Registered {
  id: string
  services: { id: string; name: string }[]
}

async function register(user: TestUser, name: string, services: object[]): Promise<Registered> {
  const { registerDevice } = await user.data(
    `mutation ($name: String!, $services: [ServiceInput!]) {
      registerDevice(name: $name, services: $services) { device { id services { id name } } } }`,
    { name, services },
  )
  return registerDevice.device
}

const setAttribute = (user: TestUser, serviceId: string, name: string, value: string) =>
  user.data(
    'mutation ($id: String!, $name: String!, $value: String) { setAttribute(serviceId: $id, name: $name, value: $value) }',
    {
      id: serviceId,
      name,
      value,
    },
  )

describe('application types', () => {
  test('include all types that users can select', async () => {
    const { applicationTypes: listed } = await app.owner.data(
      '{ applicationTypes { id name description port protocol } }',
    )
    expect(listed).toEqual(applicationTypes)
    expect(listed).toContainEqual({ id: 28, name: 'SSH', description: 'Secure Shell', port: 22, protocol: 'tcp' })
    expect(listed.map(({ id }: { id: number }) => id)).not.toContain(BULK_SERVICE)
  })

  test('have unique IDs, names, and default ports', () => {
    for (const key of ['id', 'name', 'port'] as const) {
      const values = applicationTypes.map((type) => type[key]).filter((value) => value !== null)
      expect(new Set(values).size).toBe(values.length)
    }
  })

  test('are found by ID and by default port, and other ports have the type TCP', () => {
    expect(findApplicationType(BULK_SERVICE)?.name).toBe('Bulk Service')
    expect(findApplicationType(999)).toBeUndefined()
    expect(applicationTypeForPort(5900).name).toBe('VNC')
    expect(applicationTypeForPort(123)).toMatchObject({ name: 'NTP', protocol: 'udp' })
    expect(applicationTypeForPort(45_678).name).toBe('TCP')
  })
})

describe('the services of a device', () => {
  let device: Registered
  beforeAll(async () => {
    device = await register(app.owner, 'gateway', [
      { name: 'web 10', application: 7 },
      { name: 'Web 2', application: 7, port: 8080 },
      { name: 'shell', application: 28 },
      { name: 'plain', application: 1 },
    ])
  })

  const services = async (variables: Record<string, unknown> = {}): Promise<string[]> => {
    const { login } = await app.owner.data(
      `query ($id: [String!]!, $name: String, $state: String, $application: [Int!], $sort: String) { login { device(id: $id) {
        services(name: $name, state: $state, application: $application, sort: $sort) { name } } } }`,
      { id: [device.id], ...variables },
    )
    return login.device[0].services.map(({ name }: { name: string }) => name)
  }

  const errorCode = async (variables: Record<string, unknown>) => {
    const { errors } = await app.owner.query(
      'query ($sort: String, $state: String) { login { devices { items { services(sort: $sort, state: $state) { id } } } } }',
      variables,
    )
    return errors?.[0]?.extensions.code
  }

  test('are listed by name in natural order, without the bulk service', async () => {
    expect(await services()).toEqual(['plain', 'shell', 'Web 2', 'web 10'])
    expect(await services({ sort: null })).toEqual(['plain', 'shell', 'Web 2', 'web 10'])
  })

  test('are sorted by a field or an attribute, with missing values last in both directions', async () => {
    expect(await services({ sort: 'name desc' })).toEqual(['web 10', 'Web 2', 'shell', 'plain'])
    expect(await services({ sort: 'port' })).toEqual(['shell', 'web 10', 'Web 2', 'plain'])
    expect(await services({ sort: 'port desc' })).toEqual(['Web 2', 'web 10', 'shell', 'plain'])
    expect(await services({ sort: '-port' })).toEqual(['Web 2', 'web 10', 'shell', 'plain'])
    expect((await services({ sort: 'application desc' }))[0]).toBe('shell')
    expect(await services({ sort: 'id' })).toEqual((await services({ sort: 'id desc' })).reverse())
    expect(await services({ sort: 'state' })).toEqual((await services({ sort: 'state desc' })).reverse())
    const [, ...three] = device.services
    for (const [index, { id }] of three.entries()) await setAttribute(app.owner, id, 'rack', `r ${10 - index}`)
    expect(await services({ sort: 'rack' })).toEqual(['web 10', 'Web 2', 'shell', 'plain'])
    expect(await services({ sort: 'rack desc' })).toEqual(['shell', 'Web 2', 'web 10', 'plain'])
    expect(await services({ sort: '-rack' })).toEqual(['shell', 'Web 2', 'web 10', 'plain'])
  })

  test('are filtered by part of the name, by state, and by type', async () => {
    expect(await services({ name: 'WEB' })).toEqual(['Web 2', 'web 10'])
    expect(await services({ name: '%' })).toEqual([])
    expect(await services({ state: 'inactive', application: [28, 1] })).toEqual(['plain', 'shell'])
    expect(await services({ state: 'active' })).toEqual([])
    expect(await services({ application: [] })).toEqual([])
    expect(await services({ application: [BULK_SERVICE] })).toEqual([])
  })

  test('are not listed with an invalid sort or state', async () => {
    expect(await errorCode({ sort: 'hardwareId up' })).toBe('BAD_USER_INPUT')
    expect(await errorCode({ state: 'sleeping' })).toBe('BAD_USER_INPUT')
  })

  test('are returned for each device on a page, with different arguments in one document', async () => {
    const user = await app.createUser()
    await register(user, 'first', [
      { name: 'web', application: 7 },
      { name: 'shell', application: 28 },
    ])
    await register(user, 'second', [{ name: 'only', application: 28 }])
    await register(user, 'third', [])
    const { login } = await user.data(`{ login { devices(sort: "name") { items { name
      all: services { name device { name } } shells: services(application: [28], sort: "name desc") { name title } } } } }`)
    expect(login.devices.items.slice(-2)).toEqual([
      { name: 'second', all: [{ name: 'only', device: { name: 'second' } }], shells: [{ name: 'only', title: 'SSH' }] },
      { name: 'third', all: [], shells: [] },
    ])
    expect(login.devices.items[0].shells).toEqual([{ name: 'shell', title: 'SSH' }])
  })
})

describe('service(id:)', () => {
  const document = `query ($id: [String!]!) { login { service(id: $id) {
    id name application title protocol host port enabled created state online lastReported attributes device { id name attributes } } } }`
  const find = async (user: TestUser, id: string[]) => (await user.data(document, { id })).login.service

  test('returns each service once, in the requested order', async () => {
    const { id, services } = await register(app.owner, 'host', [
      { name: 'a', application: 28 },
      { name: 'b', application: 2, port: 53 },
    ])
    const [a, b] = services as unknown as [{ id: string }, { id: string }]
    await setAttribute(app.owner, a.id, 'site', 'oslo')
    const found = await find(app.owner, [b.id.toUpperCase(), 'nonsense', a.id, b.id, '80:00:00:00:00:00:00:00'])
    expect(found).toMatchObject([
      { id: b.id, name: 'b', application: 2, title: 'UDP', protocol: 'udp', port: 53, enabled: true, attributes: {} },
      { id: a.id, name: 'a', title: 'SSH', protocol: 'tcp', port: 22, host: null, state: 'inactive', online: false },
    ])
    expect(found[1]).toMatchObject({ lastReported: null, attributes: { site: 'oslo' }, device: { id, name: 'host' } })
  })

  test("returns the bulk service, with the device's attributes, for a device ID", async () => {
    const { id } = await register(app.owner, 'bulk', [])
    await setAttribute(app.owner, id, '$svc.statusA', 'ok')
    const [service] = await find(app.owner, [id])
    const { login } = await app.owner.data('query ($id: [String!]!) { login { device(id: $id) { created } } }', {
      id: [id],
    })
    expect(service).toMatchObject({
      id,
      name: 'bulk',
      application: BULK_SERVICE,
      title: 'Bulk Service',
      host: null,
      port: null,
    })
    expect(service).toMatchObject({ attributes: { $svc: { statusA: 'ok' } }, created: login.device[0].created })
    expect(service.device).toEqual({ id, name: 'bulk', attributes: { $svc: { statusA: 'ok' } } })
  })

  test("omits another user's services", async () => {
    const { id, services } = await register(app.owner, 'mine', [{ name: 's', application: 28 }])
    expect(await find(other, [id, services[0]!.id])).toEqual([])
  })

  test('rejects more than 1,000 IDs', async () => {
    const id = Array.from({ length: 1001 }, () => '80:00:00:00:00:00:00:00')
    const { errors } = await app.owner.query(document, { id })
    expect(errors?.[0]?.extensions.code).toBe('LIMIT_EXCEEDED')
  })
})
