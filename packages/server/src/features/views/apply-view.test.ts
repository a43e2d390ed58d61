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

  test("continue in the request's order, and in the view's context", async () => {
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
