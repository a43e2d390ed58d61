import { beforeEach, describe, expect, test } from 'vitest'
import { createUserWithDevices } from '../../../test/api/device-lists.ts'
import { restClient } from '../../../test/clients/rest.ts'
import { sharedTestApp, type TestUser } from '../../../test/harness/app.ts'

const app = sharedTestApp()
let user: TestUser
beforeEach(async () => {
  const created = await createUserWithDevices(app, [
    { name: 'a', attributes: { site: 'oslo', rack: '1' }, overrides: { night: { site: 'rome' } } },
    { name: 'b', attributes: { site: 'oslo', rack: '2' } },
    { name: 'c', attributes: { site: 'paris' } },
  ])
  user = created.user
})

const createView = async (input: string): Promise<string> =>
  (await user.data(`mutation { createView(${input}) { id } }`)).createView.id

const error = async (document: string): Promise<[code: string, message: string]> => {
  const { errors } = await user.query(document)
  return [errors?.[0]?.extensions.code ?? 'no error', errors?.[0]?.message ?? '']
}

interface NamedPage {
  items: { name: string }[]
  hasMore: boolean
  cursor: string | null
}

/** Reads pages of one item each, until the last page. */
async function namesOfPages(read: (after: string | null) => Promise<NamedPage>): Promise<string[]> {
  const names: string[] = []
  for (let after: string | null = null; ; ) {
    const { items, hasMore, cursor } = await read(after)
    names.push(...items.map(({ name }) => name))
    if (!hasMore) return names
    after = cursor
  }
}

describe('pages of a list with a view', () => {
  const document = `query ($view: ID, $after: ID, $last: String) { login {
    devices(view: $view, size: 1, after: $after, last: $last) { items { name } hasMore cursor } } }`
  const devices = async (variables: Record<string, unknown>): Promise<NamedPage> =>
    (await user.data(document, variables)).login.devices

  test("continue in the view's order and context", async () => {
    const view = await createView('name: "Sites", where: "site:*", context: "night", sortBy: ["-site", "rack"]')
    expect(await namesOfPages((after) => devices({ view, after }))).toEqual(['a', 'c', 'b'])
    expect(await namesOfPages((last) => devices({ view, last }))).toEqual(['a', 'c', 'b'])
    const rest = restClient(app.url, user)
    const page = async (after: string | null): Promise<NamedPage> =>
      (await rest('GET', `/devices?view=${view}&size=1${after === null ? '' : `&after=${after}`}`)).body
    expect(await namesOfPages(page)).toEqual(['a', 'c', 'b'])
  })

  test("continue in the request's order if the view has a context", async () => {
    const view = await createView('name: "Shells", kind: SERVICES, where: "name:*", context: "night"')
    await user.data('mutation { registerDevice(name: "d", services: [{ name: "x" }, { name: "y" }]) { secret } }')
    const document = `query ($view: ID, $after: ID) { login {
      services(view: $view, sortBy: ["attributes.zone", "-name"], size: 1, after: $after) {
        items { name } hasMore cursor } } }`
    const services = async (after: string | null): Promise<NamedPage> =>
      (await user.data(document, { view, after })).login.services
    expect(await namesOfPages(services)).toEqual(['y', 'x'])
  })

  test("reject a cursor after a change to the view's order", async () => {
    const view = await createView('name: "Sites", sortBy: ["-name"]')
    const { cursor } = await devices({ view })
    await user.data(`mutation { updateView(id: "${view}", sortBy: ["site"]) { id } }`)
    const { errors } = await user.query(document, { view, after: cursor })
    expect(errors?.[0]?.extensions.code).toBe('BAD_USER_INPUT')
    expect(errors?.[0]?.message).toContain('start from the first page if a view has changed')
  })
})

test("evaluates relative times in the view's filter at the time in the argument now", async () => {
  const view = await createView('name: "Old", where: "created < now"')
  const now = '"2020-01-01T00:00:00Z"'
  const { login } = await user.data(
    `{ login { now: devices(view: "${view}") { total } then: devices(view: "${view}", now: ${now}) { total }
      url: devicesUrl(view: "${view}", now: ${now}) } }`,
  )
  expect([login.now.total, login.then.total]).toEqual([3, 0])
  expect((await (await fetch(login.url)).text()).trimEnd().split('\n')).toHaveLength(1)
})

test('sorts services by an attribute in the view that no service has yet', async () => {
  const view = await createView('name: "Zones", kind: SERVICES, sortBy: ["attributes.zone", "name"]')
  await user.data('mutation { registerDevice(name: "d", services: [{ name: "y" }, { name: "x" }]) { secret } }')
  const { login } = await user.data(`{ login { services(view: "${view}") { items { name } } } }`)
  expect(login.services.items).toEqual([{ name: 'x' }, { name: 'y' }])
})

test('accepts view() of a view without a filter in the filter of a role', async () => {
  const view = await createView('name: "All"')
  const access = `{ permissions: [DEVICE_READ], where: "name = a AND view('${view}')" }`
  const { createRole } = await user.data(`mutation { createRole(name: "r", access: ${access}) { where } }`)
  expect(createRole.where).toBe(`name = a AND view("${view}")`)
})

describe('the limits of a filter with view()', () => {
  const conditions = (count: number): string => Array(count).fill('name:a').join(' ')
  const list = (where: string): string => `{ login { devices(where: ${JSON.stringify(where)}) { total } } }`

  test("include the views' filters", async () => {
    const full = await createView(`name: "Full", where: "${conditions(50)}"`)
    const small = await createView(`name: "Small", where: "${conditions(25)}"`)
    const patterns = await createView(`name: "Patterns", where: "name = (${Array(10).fill('a*').join(' OR ')})"`)
    const values = await createView(`name: "Values", where: "name = (${Array(100).fill('a').join(' OR ')})"`)
    const services = await createView(`name: "Services", kind: SERVICES, where: "${conditions(50)}"`)
    const events = await createView(`name: "Events", kind: EVENTS, where: "${Array(50).fill('type:a').join(' ')}"`)
    for (const where of [
      `view("${full}")`,
      `view("${small}") OR view("${small}")`,
      `view("${patterns}")`,
      `view("${values}") AND view("${values}")`,
    ])
      expect((await user.data(list(where))).login.devices.total, where).toEqual(expect.any(Number))
    const both = `{ login { devices(view: "${full}", where: "name:a") { total } } }`
    expect((await user.data(both)).login.devices.total).toBe(1)
    for (const [document, name] of [
      [list(`view("${full}") OR name:b`), 'Full'],
      [list(`view("${small}") AND view("${small}") AND name:b`), 'Small'],
      [list(`view("${patterns}") AND name = b*`), 'Patterns'],
      [list(Array(3).fill(`view("${values}")`).join(' OR ')), 'Values'],
      [`{ login { facets(by: "name", where: "name:b OR view('${full}')") { total } } }`, 'Full'],
      [`{ login { services(where: "name:b OR view('${services}')") { total } } }`, 'Services'],
      [`{ login { events(where: "type:b OR view('${events}')") { total } } }`, 'Events'],
      [`mutation { createWebhook(url: "https://example.com", where: "name:b OR view('${full}')") { id } }`, 'Full'],
    ] as const)
      expect(await error(document), document).toEqual(['LIMIT_EXCEEDED', expect.stringContaining(`"${name}"`)])
  })

  test('reject a change to a view that would make a webhook or a role exceed them', async () => {
    const [one, full] = [await createView('name: "One"'), await createView(`name: "Full", where: "${conditions(50)}"`)]
    const where = `"name:b OR view('${one}')"`
    await user.data(`mutation { createWebhook(name: "hook", url: "https://example.com", where: ${where}) { id }
      createRole(name: "role", access: { permissions: [DEVICE_READ], where: ${where} }) { id } }`)
    const update = (count: number): string =>
      `mutation { updateView(id: "${one}", where: "${conditions(count)}") { id } }`
    await user.data(update(49))
    for (const change of [update(50), `mutation { deleteView(id: "${one}", replaceBy: "${full}") }`])
      expect(await error(change), change).toEqual([
        'CONFLICT',
        expect.stringMatching(/the webhook "hook".*the role "role"/),
      ])
    const { login } = await user.data(`{ login { views { name } webhooks { where } } }`)
    expect(login).toEqual({
      views: [{ name: 'Full' }, { name: 'One' }],
      webhooks: [{ where: `name:b OR view("${one}")` }],
    })
  })
})
