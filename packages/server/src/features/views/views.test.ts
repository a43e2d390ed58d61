import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { sendDocument } from '../../../test/access/callers.ts'
import { createUserWithDevices } from '../../../test/api/device-lists.ts'
import { newMember } from '../../../test/factories/member.ts'
import { sharedTestApp, type TestUser } from '../../../test/harness/app.ts'

const app = sharedTestApp()
let user: TestUser
beforeEach(async () => {
  const created = await createUserWithDevices(app, [
    { name: 'a', attributes: { site: 'oslo' }, platform: 'linux', overrides: { night: { site: 'rome' } } },
    { name: 'b', attributes: { site: 'oslo' } },
    { name: 'c', attributes: { site: 'rome' }, platform: 'linux' },
  ])
  user = created.user
})

const fields = `id name kind where context sortBy columns { name label width } description labels isShared version
  createdBy { kind user { id email } } problems { message }`

const create = async (input: string, as = user) =>
  (await as.data(`mutation { createView(${input}) { ${fields} } }`)).createView

const error = async (document: string, as = user): Promise<[code: string, message: string]> => {
  const { errors } = await as.query(document)
  return [errors?.[0]?.extensions.code ?? 'no error', errors?.[0]?.message ?? '']
}

const names = async (args: string): Promise<string[]> => {
  const { login } = await user.data(`{ login { devices(${args}) { items { name } total } } }`)
  expect(login.devices.total).toBe(login.devices.items.length)
  return login.devices.items.map(({ name }: { name: string }) => name)
}

const changes = async (): Promise<{ type: string; data: unknown }[]> =>
  (
    await user.data(
      '{ login { events(types: [VIEW_CREATE, VIEW_UPDATE, VIEW_DELETE]) { items { type data target { name kind } } } } }',
    )
  ).login.events.items

describe('saving a view', () => {
  test('stores the filter in canonical form, labels without duplicates, and all other values unchanged', async () => {
    const view =
      await create(`name: "Oslo", where: "site=oslo -platform:*", context: "night", sortBy: ["-name", "site"],
      columns: [{ name: "site", label: "Site", width: 120 }, { name: "name" }], description: "north", labels: ["x", "y", "x"], isShared: false`)
    expect(view).toEqual({
      id: expect.stringMatching(/^vw_/),
      name: 'Oslo',
      kind: 'DEVICES',
      where: 'attributes.site = oslo AND NOT platform:*',
      context: 'night',
      sortBy: ['-name', 'site'],
      columns: [
        { name: 'site', label: 'Site', width: 120 },
        { name: 'name', label: null, width: null },
      ],
      description: 'north',
      labels: ['x', 'y'],
      isShared: false,
      version: 1,
      createdBy: { kind: 'accessKey', user: { id: user.accountId, email: user.email } },
      problems: [],
    })
    expect((await user.data(`{ login { views { ${fields} } } }`)).login.views).toEqual([view])
    expect(await changes()).toEqual([
      {
        type: 'VIEW_CREATE',
        data: expect.objectContaining({ name: 'Oslo' }),
        target: [{ name: 'Oslo', kind: 'view' }],
      },
    ])
  })

  test('adds the view to the list, which is sorted by name and can be limited to a kind, a label, or IDs', async () => {
    const one = await create('name: "view 10", labels: ["x"]')
    await create('name: "View 2", kind: SERVICES, where: "port = 22"')
    const list = async (args: string): Promise<string[]> =>
      (await user.data(`{ login { views${args} { name } } }`)).login.views.map(({ name }: { name: string }) => name)
    expect(await list('')).toEqual(['View 2', 'view 10'])
    expect(await list('(kind: SERVICES)')).toEqual(['View 2'])
    expect(await list('(label: "x")')).toEqual(['view 10'])
    expect(await list(`(id: ["${one.id}", "vw_none"])`)).toEqual(['view 10'])
  })

  test('rejects a name that is in use, a filter that uses a view, and invalid or excessive values', async () => {
    const { id } = await create('name: "Oslo"')
    expect(await error('mutation { createView(name: "OSLO") { id } }')).toEqual([
      'CONFLICT',
      expect.stringContaining('OSLO'),
    ])
    expect((await error('mutation { createView(name: "x", where: "sitte = 1") { id } }'))[1]).toContain('"site"')
    expect((await error(`mutation { createView(name: "x", where: "view('${id}')") { id } }`))[0]).toBe('BAD_USER_INPUT')
    expect((await error('mutation { createView(name: " ") { id } }'))[0]).toBe('BAD_USER_INPUT')
    expect((await error('mutation { createView(name: "x", sortBy: ["a", "a desc"]) { id } }'))[0]).toBe(
      'BAD_USER_INPUT',
    )
    expect((await error('mutation { createView(name: "x", columns: [{ name: "a", width: 0 }]) { id } }'))[0]).toBe(
      'BAD_USER_INPUT',
    )
    expect(await error('mutation { createView(name: "x", sortBy: ["-sitte"]) { id } }')).toEqual([
      'BAD_USER_INPUT',
      expect.stringContaining('Did you mean "site"?'),
    ])
    expect(await error('mutation { createView(name: "x", kind: EVENTS, sortBy: ["site"]) { id } }')).toEqual([
      'BAD_USER_INPUT',
      'sortBy must be empty in a view of events: events are listed newest first',
    ])
    const columns = Array(51).fill('{ name: "name" }').join()
    expect((await error(`mutation { createView(name: "x", columns: [${columns}]) { id } }`))[0]).toBe('LIMIT_EXCEEDED')
    const labels = JSON.stringify(Array.from({ length: 11 }, (_, index) => `l${index}`))
    expect((await error(`mutation { createView(name: "x", labels: ${labels}) { id } }`))[0]).toBe('LIMIT_EXCEEDED')
    expect((await error(`mutation { createView(name: "${'x'.repeat(101)}") { id } }`))[0]).toBe('LIMIT_EXCEEDED')
    expect(await changes()).toHaveLength(1)
  })
})

describe('changing a view', () => {
  test('changes the given fields, and detects a concurrent change', async () => {
    const { id } = await create('name: "Oslo", where: "site = oslo", labels: ["x"]')
    const update = (args: string) => `mutation { updateView(id: "${id}", ${args}) { ${fields} } }`
    const changed = (await user.data(update('version: 1, where: "site = rome", name: "Rome"'))).updateView
    expect(changed).toMatchObject({ name: 'Rome', where: 'attributes.site = rome', labels: ['x'], version: 2 })
    expect(await error(update('version: 1, name: "x"'))).toEqual(['CONFLICT', expect.stringContaining('version 2')])
    expect((await user.data(update('name: "Rome"'))).updateView.version).toBe(2)
    expect((await user.data(update('where: null, labels: []'))).updateView).toMatchObject({
      where: null,
      labels: [],
      version: 3,
    })
    expect((await error(update('name: "x", where: "=" ')))[0]).toBe('BAD_USER_INPUT')
    await create('name: "Other"')
    expect((await error(update('name: "other"')))[0]).toBe('CONFLICT')
    expect((await changes()).map(({ type }) => type)).toEqual([
      'VIEW_CREATE',
      'VIEW_UPDATE',
      'VIEW_UPDATE',
      'VIEW_CREATE',
    ])
  })

  test('deletes a view', async () => {
    const { id } = await create('name: "Oslo"')
    expect(await user.data(`mutation { deleteView(id: "${id}") }`)).toEqual({ deleteView: true })
    expect((await error(`mutation { deleteView(id: "${id}") }`))[0]).toBe('NOT_FOUND')
    expect((await changes())[0]).toMatchObject({ type: 'VIEW_DELETE' })
  })
})

describe('using a view', () => {
  test("adds the view's filter to other filters, and applies its context and its order", async () => {
    const oslo = await create('name: "Oslo", where: "site = oslo", sortBy: ["-name"]')
    const night = await create('name: "Night", where: "site = rome", context: "night"')
    const all = await create('name: "All", sortBy: ["-platform", "name"]')
    expect(await names(`view: "${oslo.id}"`)).toEqual(['b', 'a'])
    expect(await names(`view: "${oslo.id}", where: "platform:*"`)).toEqual(['a'])
    expect(await names(`view: "${oslo.id}", sortBy: ["name"]`)).toEqual(['a', 'b'])
    expect(await names(`view: "${oslo.id}", sort: "name asc"`)).toEqual(['a', 'b'])
    expect(await names(`view: "${oslo.id}", sort: null`)).toEqual(['b', 'a'])
    expect(await names(`view: "${oslo.id}", name: "b"`)).toEqual(['b'])
    expect(await names(`view: "${night.id}"`)).toEqual(['a', 'c'])
    expect(await names(`view: "${night.id}", context: "day"`)).toEqual(['c'])
    expect(await names(`view: "${all.id}"`)).toEqual(['a', 'c', 'b'])
    expect(await names(`where: "view('${night.id}') AND site = oslo"`)).toEqual(['a'])
    expect(await names(`where: "NOT view('${night.id}')"`)).toEqual(['b'])
    expect(await names(`where: "NOT view('${all.id}')"`)).toEqual([])
    await user.data(`mutation { updateView(id: "${oslo.id}", where: "site = rome") { id } }`)
    expect(await names(`view: "${oslo.id}"`)).toEqual(['c'])
  })

  test('applies the view to facets, totals, and services', async () => {
    const oslo = await create('name: "Oslo", where: "site = oslo"')
    const shells = await create('name: "Shells", kind: SERVICES, where: "port = 22", sortBy: ["-device.name"]')
    await user.data(`mutation { a: registerDevice(name: "s1", services: [{ name: "ssh", port: 22 }, { name: "web", port: 80 }]) { secret }
      b: registerDevice(name: "s2", services: [{ name: "ssh", port: 22 }]) { secret } }`)
    const { login } = await user.data(`{ login {
      facets(by: ["platform"], view: "${oslo.id}") { total } deviceTotals(view: "${oslo.id}") { total }
      services(view: "${shells.id}") { items { device { name } } total } } }`)
    expect(login).toEqual({
      facets: [{ total: 2 }],
      deviceTotals: { total: 2 },
      services: { items: [{ device: { name: 's2' } }, { device: { name: 's1' } }], total: 2 },
    })
  })

  test("uses the view's order if the variable for sort or sortBy has no value", async () => {
    const { id } = await create('name: "Oslo", where: "site = oslo", sortBy: ["-name"]')
    const document = `query ($view: ID, $sort: String, $sortBy: [String!]) { login {
      devices(view: $view, sort: $sort, sortBy: $sortBy) { items { name } } } }`
    const order = async (variables: Record<string, unknown>): Promise<string> => {
      const { login } = await user.data(document, { view: id, ...variables })
      return login.devices.items.map(({ name }: { name: string }) => name).join('')
    }
    // Send each request three times, because the server compiles the document at its second use.
    for (let times = 0; times < 3; times++) {
      expect(await order({})).toBe('ba')
      expect(await order({ sort: 'name asc' })).toBe('ab')
      expect(await order({ sortBy: ['name'] })).toBe('ab')
    }
    const services = await create('name: "Services", kind: SERVICES, sortBy: ["-name"]')
    await user.data(`mutation { registerDevice(name: "s", services: [{ name: "x" }, { name: "y" }]) { secret } }`)
    const list = async (args: string): Promise<string> => {
      const { login } = await user.data(`{ login { services(view: "${services.id}"${args}) { items { name } } } }`)
      return login.services.items.map(({ name }: { name: string }) => name).join('')
    }
    expect(await list('')).toBe('yx')
    expect(await list(', sortBy: ["device.name", "name"]')).toBe('xy')
  })

  test('rejects an invalid view, and reports the reason', async () => {
    const { id } = await create('name: "Oslo", where: "site = oslo"')
    const events = await create('name: "Events", kind: EVENTS, where: "type:a"')
    const services = await create('name: "Services", kind: SERVICES, where: "port = 22"')
    // Only a backup from another release can contain an invalid filter, so write such a filter into the table.
    await sql`update saved_view set filter = 'attributes.site ~ oslo' where account_id = ${user.accountId}`.execute(
      app.db,
    )
    for (const field of [
      `devices(view: "${id}") { total }`,
      `devices(where: "NOT view('${id}')") { total }`,
      `devicesUrl(view: "${id}")`,
      `facets(by: "site", view: "${id}") { total }`,
      `deviceTotals(view: "${id}") { total }`,
      `services(view: "${services.id}") { total }`,
      `events(view: "${events.id}") { total }`,
      `eventsUrl(view: "${events.id}")`,
    ]) {
      const { data, errors } = await user.query(`{ login { ${field} } }`)
      expect(errors?.[0]?.extensions, field).toMatchObject({
        code: 'CONFLICT',
        filter: [{ message: expect.any(String), line: 1, column: expect.any(Number) }],
      })
      expect(JSON.stringify(data), field).not.toContain('total')
    }
    const { login } = await user.data(`{ login { views(id: ["${id}"]) { problems { message column } } } }`)
    expect(login.views[0].problems).toEqual([{ message: expect.any(String), column: 1 }])
    await user.data(`mutation { updateView(id: "${id}", where: "site = rome") { id } }`)
    expect(await names(`view: "${id}"`)).toEqual(['c'])
  })

  test('rejects a missing view and a view of another kind, and never lists all devices', async () => {
    const shells = await create('name: "Shells", kind: SERVICES')
    const other = await app.createUser()
    const { id } = await create('name: "x"', other)
    for (const args of ['view: "vw_none"', `view: "${id}"`, `where: "view('${id}')"`, `where: "NOT view('vw_none')"`]) {
      expect((await error(`{ login { devices(${args}) { total } } }`))[0], args).toBe('NOT_FOUND')
      for (const field of ['deviceTotals', 'facets', 'devicesUrl', 'services', 'events', 'eventsUrl']) {
        const fields = field.endsWith('Url') ? '' : '{ total }'
        const by = field === 'facets' ? 'by: "name", ' : ''
        expect((await error(`{ login { ${field}(${by}${args}) ${fields} } }`))[0], `${field} ${args}`).toBe('NOT_FOUND')
      }
    }
    expect((await error(`{ login { devices(view: "${shells.id}") { total } } }`))[0]).toBe('BAD_USER_INPUT')
    expect((await error('{ login { devices(view: "") { total } } }'))[0]).toBe('NOT_FOUND')
  })
})

test('rejects more views than the limit allows', async () => {
  const many = (from: number): string =>
    Array.from({ length: 10 }, (_, index) => `v${from + index}: createView(name: "v${from + index}") { id }`).join(' ')
  for (let from = 0; from < 200; from += 10) await user.data(`mutation { ${many(from)} }`)
  expect((await error('mutation { createView(name: "one more") { id } }'))[0]).toBe('LIMIT_EXCEEDED')
  const { login } = await user.data('{ login { limits { name value used } } }')
  expect(login.limits).toContainEqual({ name: 'views', value: 200, used: 200 })
})

test('allows only callers who can change webhooks to change the view of a webhook', async () => {
  const [used, other] = [await create('name: "A"'), await create('name: "B"')]
  await user.data(`mutation { createWebhook(url: "https://example.com", view: "${used.id}") { id } }`)
  const operator = await newMember(app, user.accountId, 'operator')
  const send = async (document: string) => (await sendDocument(app, { headers: operator.headers }, document)).body
  for (const [field, document] of [
    ['Mutation.updateView', `mutation { updateView(id: "${used.id}", where: "name:x") { id } }`],
    ['Mutation.deleteView', `mutation { deleteView(id: "${used.id}", replaceBy: "${other.id}") }`],
  ] as const) {
    const missing = [{ field, permission: 'WEBHOOK_MANAGE' }]
    const expected = { code: 'FORBIDDEN', reason: 'permission', missing }
    expect((await send(document)).errors[0].extensions, document).toMatchObject(expected)
  }
  expect((await send(`mutation { updateView(id: "${other.id}", where: "name:x") { id } }`)).errors).toBeUndefined()
  const { login } = await user.data('{ login { views { where } } }')
  expect(login.views).toEqual([{ where: null }, { where: 'name:x' }])
})
