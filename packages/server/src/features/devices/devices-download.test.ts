import { readDeviceFile } from '@muster/fleet-csv/csv/read-file'
import { parseCsv } from '@muster/fleet-csv/csv/rfc-4180'
import { importDevices } from '@muster/fleet-csv/import/import-devices'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { attributeClient } from '../../../test/api/attributes.ts'
import { createUserWithDevices } from '../../../test/api/device-lists.ts'
import { seedDevices } from '../../../test/factories/seed-devices.ts'
import { startTestApp, type TestApp, type TestUser } from '../../../test/harness/app.ts'
import { updateAccessKey } from '../access-keys/access-keys.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ env: { MUSTER_KEY_POINTS: '1000000' }, worker: true })
})
afterAll(() => app.close())

const document = `query ($where: String, $view: ID, $context: String, $sortBy: [String!], $columns: [String!], $now: DateTime) {
  login { devicesUrl(where: $where, view: $view, context: $context, sortBy: $sortBy, columns: $columns, now: $now) } }`

const linkOf = async (user: TestUser, variables: Record<string, unknown> = {}): Promise<string> =>
  (await user.data(document, variables)).login.devicesUrl

const textOf = async (link: string): Promise<string> => {
  const response = await fetch(link)
  expect(response.status).toBe(200)
  return response.text()
}

const rowsOf = (csv: string): (string | null)[][] => [...parseCsv(csv)].map((row) => ('cells' in row ? row.cells : []))

const download = async (user: TestUser, variables: Record<string, unknown> = {}) =>
  rowsOf(await textOf(await linkOf(user, variables)))

const error = async (user: TestUser, variables: Record<string, unknown>): Promise<[code: string, message: string]> => {
  const { errors } = await user.query(document, variables)
  return [errors?.[0]?.extensions.code ?? 'no error', errors?.[0]?.message ?? '']
}

const createView = async (user: TestUser, input: string): Promise<string> =>
  (await user.data(`mutation { createView(${input}) { id } }`)).createView.id

const fleet = async (): Promise<TestUser> => {
  const { user } = await createUserWithDevices(app, [
    { name: 'b', attributes: { site: 'oslo', net: { ssid: 'lab' } }, platform: 'linux', hardwareId: 'HW-1' },
    { name: 'a', attributes: { site: 'oslo' }, overrides: { night: { site: 'rome' } }, statusA: 'up' },
    { name: 'c', attributes: { site: 'riga' }, state: 'active' },
  ])
  return user
}

const importInto = (user: TestUser, csv: string) =>
  importDevices({
    jobName: 'import',
    api: {
      query: async <Data>(query: string, variables?: Readonly<Record<string, unknown>>) =>
        (await user.data(query, { ...variables })) as Data,
    },
    file: readDeviceFile(Buffer.from(csv)),
    strict: true,
    dryRun: false,
    onProgress: () => {},
    signal: new AbortController().signal,
  })

describe('the columns of a download', () => {
  test("are the columns of the view, with their labels, in the view's order and context", async () => {
    const user = await fleet()
    const view = await createView(
      user,
      `name: "Oslo", where: "in('night', site):*", context: "night", sortBy: ["-name"],
      columns: [{ name: "name", label: "Device" }, { name: "attributes.site" }, { name: "statusA" }, { name: "state" }]`,
    )
    expect(await download(user, { view })).toEqual([
      ['Device', 'site', '$svc.statusA', 'state'],
      ['c', 'riga', null, 'active'],
      ['b', 'oslo', null, 'inactive'],
      ['a', 'rome', 'up', 'inactive'],
    ])
    expect(await download(user, { view, where: 'name:(a OR b)', columns: ['id', 'site'], sortBy: ['name'] })).toEqual([
      ['id', 'site'],
      [expect.stringMatching(/^80:/), 'rome'],
      [expect.stringMatching(/^80:/), 'oslo'],
    ])
    expect(await download(user, { columns: ['name', 'site'], context: 'night', where: 'site = rome' })).toEqual([
      ['name', 'site'],
      ['a', 'rome'],
    ])
  })

  test('can include every device field, fields of services, and attributes', async () => {
    const user = await app.createUser()
    await user.data(`mutation { registerDevice(name: "x", services: [{ name: "ssh", port: 22, application: 28 },
      { name: "web", port: 8080, application: 7, enabled: false }]) { secret } }`)
    const { id } = (await user.data('{ login { devices { items { id } } } }')).login.devices.items[0]
    await attributeClient(user).set('site', 'x', id, 'night')
    const columns = [
      ...['id', 'name', 'hardwareId', 'platform', 'created', 'state', 'online', 'stateSince', 'lastReported', 'owner'],
      ...['contexts', 'services', 'services.port', 'services.title', 'services.enabled', 'site'],
    ]
    const [header, row] = await download(user, { columns, context: 'night' })
    expect(header).toEqual(columns)
    const time = expect.stringMatching(/^\d{4}-.*Z$/)
    expect(row).toEqual([
      ...[id, 'x', null, null, time, 'inactive', 'false', time, null, user.email],
      ...[
        'night',
        expect.stringMatching(/^!?\S+;!?\S+$/),
        '22;8080',
        expect.stringContaining('SSH'),
        'true;false',
        'x',
      ],
    ])
  })

  test('are all importable fields and all attributes by default', async () => {
    const user = await fleet()
    const csv = await textOf(await linkOf(user))
    expect(rowsOf(csv)[0]).toEqual(['name', 'hardwareId', 'platform', 'services', '$svc.statusA', 'net.ssid', 'site'])
    const other = await app.createUser()
    expect(await importInto(other, csv)).toMatchObject({ created: 3, problems: [] })
    expect(await textOf(await linkOf(other))).toBe(csv)
    expect(await importInto(user, csv)).toMatchObject({ unchanged: 3, created: 0, updated: 0 })
  })

  test('can be imported again if none has a label, even if some are fields that cannot be set', async () => {
    const user = await fleet()
    const view = await createView(
      user,
      `name: "v", columns: [{ name: "state" }, { name: "name" }, { name: "categoryA" }, { name: "services.port" },
      { name: "attributes.site" }, { name: "statusA" }, { name: "lastReported" }]`,
    )
    const csv = await textOf(await linkOf(user, { view }))
    expect(await importInto(user, csv)).toMatchObject({ unchanged: 3, updated: 0, created: 0, problems: [] })
    const changed = csv.replace('riga', 'bergen')
    expect(await importInto(user, changed)).toMatchObject({ unchanged: 2, updated: 1 })
    expect(await download(user, { columns: ['name'], where: 'site = bergen' })).toEqual([['name'], ['c']])
    const names = await user.data('{ login { attributeNames { name } } }')
    expect(names.login.attributeNames).toHaveLength(3)
  })

  test('contain no formulas, and keep negative numbers unchanged', async () => {
    const { user } = await createUserWithDevices(app, [
      { name: '=1+1', attributes: { load: '-5', note: '@SUM(A1)' }, platform: "'+x" },
    ])
    const view = await createView(user, 'name: "v", columns: [{ name: "name", label: "=cmd" }, { name: "load" }]')
    expect(await download(user, { columns: ['name', 'platform', 'load', 'note'] })).toEqual([
      ['name', 'platform', 'load', 'note'],
      ["'=1+1", "''+x", '-5', "'@SUM(A1)"],
    ])
    expect(await download(user, { view })).toEqual([
      ["'=cmd", 'load'],
      ["'=1+1", '-5'],
    ])
  })

  test('are rejected if a name is invalid, or if there are none or too many', async () => {
    const user = await fleet()
    expect(await error(user, { columns: ['name', 'sitte'] })).toEqual([
      'BAD_USER_INPUT',
      expect.stringMatching(/columns\[1\].*Did you mean "site"/),
    ])
    expect((await error(user, { columns: ['attributes.sitte'] }))[0]).toBe('no error')
    expect((await error(user, { columns: [] }))[0]).toBe('BAD_USER_INPUT')
    expect((await error(user, { columns: Array(51).fill('name') }))[0]).toBe('LIMIT_EXCEEDED')
    expect((await error(user, { columns: ['services.attributes.x'] }))[0]).toBe('BAD_USER_INPUT')
    expect((await error(user, { columns: [''] }))[0]).toBe('BAD_USER_INPUT')
  })
})

describe('a download link', () => {
  test('keeps the filter, order, and columns that the view had when the link was created', async () => {
    const user = await fleet()
    const view = await createView(
      user,
      'name: "Oslo", where: "site = oslo", sortBy: ["-name"], columns: [{ name: "name" }]',
    )
    const links = [await linkOf(user, { view }), await linkOf(user, { where: `view("${view}")`, columns: ['name'] })]
    await user.data(`mutation { updateView(id: "${view}", where: "site = riga", sortBy: [], columns: []) { id } }`)
    expect(rowsOf(await textOf(links[0]!))).toEqual([['name'], ['b'], ['a']])
    await user.data(`mutation { deleteView(id: "${view}") }`)
    expect(rowsOf(await textOf(links[0]!))).toEqual([['name'], ['b'], ['a']])
    expect(rowsOf(await textOf(links[1]!))).toEqual([['name'], ['a'], ['b']])
  })

  test('is not created for an invalid filter, or for a view that is missing, of another kind, or of another user', async () => {
    const user = await fleet()
    const services = await createView(user, 'name: "s", kind: SERVICES')
    const { id } = (await (await app.createUser()).data('mutation { createView(name: "x") { id } }')).createView
    expect((await error(user, { view: services }))[0]).toBe('BAD_USER_INPUT')
    for (const variables of [{ view: id }, { view: 'vw_none' }, { where: `NOT view("${id}")` }, { view: '' }])
      expect((await error(user, variables))[0], JSON.stringify(variables)).toBe('NOT_FOUND')
    expect((await error(user, { where: 'sitte = oslo' }))[1]).toContain('Did you mean "site"')
    expect((await error(user, { sortBy: ['sitte'] }))[0]).toBe('BAD_USER_INPUT')
    const { login } = await user.data('{ login { events(types: DOWNLOAD_LINK_CREATE) { total } } }')
    expect(login.events.total).toBe(0)
  })

  test('is not created if it would be too long', async () => {
    const user = await fleet()
    let state = 1
    const random = (): string => {
      state = (state * 48_271) % 2_147_483_647
      return String.fromCodePoint(0x4e00 + (state % 20_000))
    }
    const randoms = (length: number): string => Array.from({ length }, random).join('')
    const where = `name = "${randoms(4_000)}"`
    const columns = Array.from({ length: 50 }, () => `attributes.${randoms(60)}`)
    expect(await error(user, { where, columns })).toEqual([
      'LIMIT_EXCEEDED',
      expect.stringContaining('shorten the filter'),
    ])
  })

  test('is recorded as an event, and is invalid after its access key is disabled', async () => {
    const user = await fleet()
    const link = await linkOf(user, { where: 'site = oslo', columns: ['name'] })
    const { login } = await user.data(
      '{ login { events(types: DOWNLOAD_LINK_CREATE) { items { data source { id } } } } }',
    )
    expect(login.events.items).toEqual([
      {
        source: { id: user.keyId },
        data: {
          links: 1,
          expires: expect.any(String),
          filters: [{ list: 'devices', where: 'site = oslo', columns: ['name'] }],
        },
      },
    ])
    const viewer = { accountId: user.accountId, email: user.email, readOnly: false }
    await updateAccessKey({ db: app.db, viewer }, user.keyId, { enabled: false })
    expect((await fetch(link)).status).toBe(401)
  })

  test('is valid only for the list that it was created for', async () => {
    const user = await fleet()
    const devices = await linkOf(user, { where: 'site = oslo' })
    const events = (await user.data('{ login { eventsUrl(where: "type:a") } }')).login.eventsUrl as string
    for (const link of [devices.replace('/devices/', '/events/'), events.replace('/events/', '/devices/')])
      expect((await fetch(link)).status).toBe(401)
    const token = new URL(devices).searchParams.get('link')!
    const parts = token.split('.')
    // A token without a selection would be for all events, so removing the selection must make the token invalid.
    expect(parts).toHaveLength(4)
    const cut = `${parts[0]}.${parts[1]}.${parts[3]}`
    expect((await fetch(`${app.url}/events/v1.csv?link=${cut}`)).status).toBe(401)
  })
})

test('downloads each device of many pages once, in order', async () => {
  const user = await app.createUser()
  const devices = Array.from({ length: 2_300 }, (_, index) => ({
    name: `n${index % 40}`,
    platform: index % 3 === 0 ? null : `p${index % 2}`,
    attributes: { load: String(index), note: 'x'.repeat(index % 500 === 0 ? 10_000 : 10) },
  }))
  await seedDevices(app.db, user.accountId, devices)
  for (const sortBy of [['name'], ['-platform', 'name'], ['load desc'], ['created']]) {
    const [, ...rows] = await download(user, { sortBy, columns: ['id', 'note'] })
    expect(new Set(rows.map(([id]) => id)).size, sortBy.join()).toBe(2_300)
    expect(rows).toHaveLength(2_300)
  }
  const [, ...some] = await download(user, { where: 'load > 1999', columns: ['load'], sortBy: ['load'] })
  expect(some.map(([load]) => load)).toEqual(Array.from({ length: 300 }, (_, index) => String(2_000 + index)))
})

test('charges for every page of the file', async () => {
  const limited = await startTestApp({ env: { MUSTER_KEY_POINTS: '100', MUSTER_KEY_POINTS_PER_SECOND: '1' } })
  try {
    const user = await limited.createUser()
    await seedDevices(limited.db, user.accountId, Array(1_000).fill({ name: 'x' }))
    const link = await linkOf(user, { columns: ['name'] })
    const statuses = new Set<number>()
    const startedAt = performance.now()
    let downloads = 0
    while (!statuses.has(429)) {
      const response = await fetch(link)
      statuses.add(response.status)
      await response.text()
      downloads++
    }
    // A download of 1,000 devices costs at least 10 points.
    const regained = (performance.now() - startedAt) / 1_000
    expect(downloads).toBeLessThan(2 + (100 + regained) / 10)
    expect(statuses).toEqual(new Set([200, 429]))
  } finally {
    await limited.close()
  }
})
