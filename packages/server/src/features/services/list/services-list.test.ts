import { beforeAll, expect, test } from 'vitest'
import { attributeClient } from '../../../../test/api/attributes.ts'
import { sharedTestApp, type TestUser } from '../../../../test/harness/app.ts'

const app = sharedTestApp()
let user: TestUser
beforeAll(async () => {
  user = await app.createUser()
  await user.data(`mutation {
    b: registerDevice(name: "node-10", attributes: { site: "oslo" }, services: [
      { name: "web", port: 8080, application: 7 }, { name: "ssh", port: 22, host: "localhost" }]) { secret }
    a: registerDevice(name: "node-2", services: [{ name: "ssh-2", port: 22 }, { name: "ssh-10", port: 2222, application: 28 }]) { secret }
    c: registerDevice(name: "empty") { secret } }`)
})

const document = `query ($sortBy: [String!], $where: String, $after: ID, $from: Int, $size: Int, $context: String) { login {
  services(sortBy: $sortBy, where: $where, after: $after, from: $from, size: $size, context: $context) {
    items { id name attributes device { name } } total hasMore last cursor } } }`

const page = async (variables: Record<string, unknown> = {}) => {
  const { login } = await user.data(document, variables)
  return { ...login.services, names: login.services.items.map(({ name }: { name: string }) => name) }
}

const names = async (variables: Record<string, unknown> = {}): Promise<string[]> => (await page(variables)).names

test('lists the services of all devices by device and name, without bulk services', async () => {
  const found = await page()
  expect(found).toMatchObject({ names: ['ssh-2', 'ssh-10', 'ssh', 'web'], total: 4, hasMore: false })
  expect(found.items[0].device).toEqual({ name: 'node-2' })
})

test('sorts by fields of services and by the name of the device', async () => {
  expect(await names({ sortBy: ['port', 'name'] })).toEqual(['ssh', 'ssh-2', 'ssh-10', 'web'])
  expect(await names({ sortBy: ['-device.name', '-port'] })).toEqual(['web', 'ssh', 'ssh-10', 'ssh-2'])
  expect(await names({ sortBy: ['state', 'application desc', 'created', 'id'] })).toHaveLength(4)
})

test('continues after a cursor or an ID', async () => {
  for (const sortBy of [undefined, ['port desc', 'device.name'], ['created', 'name'], ['attributes.x', 'name']]) {
    const all = await names({ sortBy })
    const seen: string[] = []
    let after: string | undefined
    for (let number = 0; number < 4; number++) {
      const next = await page({ sortBy, after, size: 1 })
      seen.push(...next.names)
      after = number % 2 === 0 ? next.cursor : next.last
    }
    expect(seen).toEqual(all)
    expect(await names({ sortBy, from: 3 })).toEqual(all.slice(2))
  }
})

test('filters by fields and attributes of services and of their devices', async () => {
  const { items } = await page({ where: 'name = web' })
  await attributeClient(user).set('path', '/admin', items[0].id, 'night')
  expect(await names({ where: 'port = 22' })).toEqual(['ssh-2', 'ssh'])
  expect(await names({ where: 'port = 22 AND device.site = oslo' })).toEqual(['ssh'])
  expect(await names({ where: 'application = SSH' })).toEqual(['ssh-2', 'ssh-10', 'ssh'])
  expect(await names({ where: 'host:*' })).toEqual(['ssh'])
  expect(await names({ where: 'web' })).toEqual(['web'])
  expect(await names({ where: 'device.services.port = 8080' })).toEqual(['ssh', 'web'])
  expect(await names({ where: 'state = active' })).toEqual([])
  expect(await names({ where: 'path:*', context: 'night' })).toEqual(['web'])
  expect(await names({ where: 'path:*' })).toEqual([])
  expect(await names({ where: 'NOT in("night", path) = "/admin"' })).toEqual(['ssh-2', 'ssh-10', 'ssh'])
})

test('rejects filters and sort keys that are only for devices, and an unknown ID', async () => {
  for (const variables of [
    { where: 'hardwareId = x' },
    { where: 'statusA = x' },
    { sortBy: ['platform'] },
    { after: '80:00:00:00:00:00:00:09' },
  ]) {
    const { errors } = await user.query(document, variables)
    expect(errors?.[0]?.extensions.code, JSON.stringify(variables)).toMatch(/BAD_USER_INPUT|NOT_FOUND/)
  }
})

test('suggests only names by which a list of services can sort', async () => {
  const { items } = await page()
  await attributeClient(user).set('zone', 'north', items[0].id)
  for (const [name, message] of [
    ['platform', 'platform is not a sort key. Sort by name, id, '],
    ['statusA', 'statusA is not a sort key. Sort by name, id, '],
    ['services.host', 'services.host is not a sort key. Sort by name, id, '],
    ['hots', 'Unknown attribute "hots". To use a name that is not in use yet, add the prefix "attributes." to it.'],
    ['prot', 'Unknown attribute "prot". Did you mean "port"?'],
    ['zoen', 'Unknown attribute "zoen". Did you mean "zone"?'],
    // Only a device has the attribute "site".
    ['stie', 'Unknown attribute "stie". To use a name that is not in use yet, '],
  ] as const) {
    const { errors } = await user.query(document, { sortBy: [name] })
    expect(errors?.[0]?.message).toContain(`sortBy[0]: ${message}`)
    const saved = await user.query(`mutation { createView(name: "x", kind: SERVICES, sortBy: ["${name}"]) { id } }`)
    expect(saved.errors?.[0]?.message).toContain(message)
  }
  const filtered = await user.query(document, { where: 'stie = oslo' })
  expect(filtered.errors?.[0]?.message).toContain('To use a name that is not in use yet, ')
})

test("does not list another user's services", async () => {
  const other = await app.createUser()
  const { login } = await other.data('{ login { services { total items { id } } } }')
  expect(login.services).toEqual({ total: 0, items: [] })
})
