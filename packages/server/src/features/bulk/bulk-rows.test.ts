import { formatCsvRow } from '@muster/fleet-csv/csv/rfc-4180'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import {
  call,
  codeOf,
  eventsOf,
  jobOf,
  newFleet,
  register,
  run,
  set,
  setSite,
  until,
} from '../../../test/api/bulk-jobs.ts'
import { basic, post } from '../../../test/clients/http-device.ts'
import { sharedTestApp, type TestUser } from '../../../test/harness/app.ts'

const app = sharedTestApp({ worker: true })

const createText = `mutation ($target: BulkTargetInput!, $operations: [BulkOperationInput!]! = [], $open: Boolean! = false) {
  createBulk(target: $target, operations: $operations, open: $open) {
    id state token counts { total change register unchanged rejected pending done failed skipped } } }`
const create = async (user: TestUser, csv: string, { register: registers = false, ...more } = {}) =>
  (await user.data(createText, { target: { csv, register: registers }, ...more })).createBulk

async function devicesOf(user: TestUser) {
  const { login } = await user.data(
    '{ login { devices(sort: "name") { items { id name hardwareId platform attributes services { name port } } total } } }',
  )
  return login.devices.items
}

/** Returns how many times the table `device` was analyzed, excluding analyses by autovacuum. */
async function countAnalyses(): Promise<number> {
  const { rows } = await sql<{ count: string }>`
    select analyze_count as count from pg_stat_user_tables where relname = 'device'`.execute(app.db)
  return Number(rows[0]!.count)
}

interface Item {
  device: { id: string; name: string }
  outcome: string
  code: string | null
  message: string | null
}

describe('a job with a CSV', () => {
  it('sets the values of its rows on the devices that the rows identify', async () => {
    const user = await app.createUser()
    const first = await register(user, 'gate 0', { site: 'oslo' })
    await register(user, 'gate 1', { site: 'oslo' })
    const other = await register(user, 'pump', { site: 'oslo' })
    const csv = `id,hardwareId,name,platform,site,net.ssid
${first},,,linux,"{name}",lab
,,pump,,bergen,
,,gate 1,,,
,,missing,,,
,,"",,,
`
    const job = await create(user, csv)
    expect(job.counts).toMatchObject({ total: 5, change: 2, register: 0, unchanged: 1, rejected: 2 })
    const { items } = (await jobOf(user, job.id)) as { items: { items: Item[] } }
    expect(items.items.filter(({ outcome }) => outcome === 'REJECTED')).toMatchObject([
      { device: { id: 'line 5', name: 'missing' }, code: 'NOT_FOUND', message: 'there is no device "missing"' },
      { code: 'BAD_USER_INPUT', message: expect.stringMatching(/name must not be empty/) },
    ])
    await run(user, job)
    const [gate, , pump] = await devicesOf(user)
    expect(gate).toMatchObject({ platform: 'linux', attributes: { site: '{name}', net: { ssid: 'lab' } } })
    expect(pump).toMatchObject({ id: other, attributes: { site: 'bergen' } })
    await run(user, await call(user, 'undo', job.id))
    expect((await devicesOf(user))[0]).toMatchObject({ platform: null, attributes: { site: 'oslo' } })
  })

  it('finds the devices of rejected rows again in a retry', async () => {
    const user = await app.createUser()
    const twins = [await register(user, 'twin', {}), await register(user, 'twin', {})]
    const job = await create(user, 'name,site\nlate,oslo\ntwin,oslo\n"",oslo\n')
    expect(job.counts).toMatchObject({ total: 3, rejected: 3 })
    await run(user, job)
    await register(user, 'late', {})
    await user.data(`mutation { updateDevice(deviceId: "${twins[0]}", name: "other") { id } }`)
    const retry = await call(user, 'retry', job.id)
    expect(retry.counts).toMatchObject({ total: 3, change: 2, rejected: 1 })
    await run(user, retry)
    expect(
      (await devicesOf(user)).map(({ name, attributes }: { name: string; attributes: object }) => [name, attributes]),
    ).toEqual([
      ['late', { site: 'oslo' }],
      ['other', {}],
      ['twin', { site: 'oslo' }],
    ])
  })

  it('registers devices, and its undo deletes those that have not changed', async () => {
    const user = await app.createUser()
    await register(user, 'old', {})
    const csv = `name,hardwareId,platform,services,site,$svc.categoryA
old,,linux,,oslo,
new-1,H-1,linux,ssh=ssh:2222;web=https,oslo,a
new-2,H-2,,,,
new-3,,,,bergen,
`
    const job = await create(user, csv, {
      register: true,
      operations: [{ setAttributes: { attributes: { label: '{name}' } } }],
    } as object)
    expect(job).toMatchObject({ state: 'READY', counts: { total: 4, change: 1, register: 3, rejected: 0, pending: 4 } })
    const done = await run(user, job)
    expect(done.counts).toMatchObject({ done: 4, failed: 0, skipped: 0 })
    expect(await devicesOf(user)).toMatchObject([
      {
        name: 'new-1',
        hardwareId: 'H-1',
        platform: 'linux',
        attributes: { site: 'oslo', label: 'new-1', $svc: { categoryA: 'a' } },
        services: [
          { name: 'ssh', port: 2222 },
          { name: 'web', port: 443 },
        ],
      },
      { name: 'new-2', hardwareId: 'H-2', attributes: { label: 'new-2' } },
      { name: 'new-3', hardwareId: null, attributes: { site: 'bergen', label: 'new-3' } },
      { name: 'old', platform: 'linux', attributes: { site: 'oslo', label: 'old' } },
    ])
    const events = await eventsOf(user, ['DEVICE_REGISTER'])
    const ofJob = events.filter((event: { job: string | null }) => event.job === job.id)
    expect(ofJob).toHaveLength(3)
    const first = ofJob.find(({ data }: { data: { name: string } }) => data.name === 'new-1')
    expect(first).toMatchObject({ source: { kind: 'job', id: job.id }, data: { name: 'new-1', hardwareId: 'H-1' } })

    const again = await create(user, csv, { register: true })
    expect(again.counts).toMatchObject({ unchanged: 4, register: 0 })
    const [, second, third] = await devicesOf(user)
    await set(user, second.id, { site: 'later' })
    const undo = await call(user, 'undo', job.id)
    expect(undo.counts).toMatchObject({ total: 4, change: 3, skipped: 1 })
    await user.data(`mutation { addService(deviceId: "${third.id}", name: "later", port: 22) { id } }`)
    expect((await run(user, undo)).counts).toMatchObject({ done: 2, skipped: 2 })
    // An undo that deleted devices cannot be undone.
    expect((await jobOf(user, undo.id)).isUndoable).toBe(false)
    expect((await codeOf(user, `mutation { undoBulk(id: "${undo.id}") { id } }`))[0]).toBe('CONFLICT')
    expect(await devicesOf(user)).toMatchObject([
      { name: 'new-2', attributes: { site: 'later' } },
      { name: 'new-3' },
      { name: 'old', attributes: {} },
    ])
  })

  it('keeps quotes, backslashes, braces, and the string NULL', async () => {
    const user = await app.createUser()
    const strings = ['NULL', 'it\'s "two"\nlines', '\\N\\"', '{a,"b"}']
    await register(user, strings[2]!, {})
    const csv = ['name,site\n', ...strings.map((string) => formatCsvRow([string, string]))].join('')
    const job = await create(user, csv, { register: true })
    expect(job.counts).toMatchObject({ total: 4, change: 1, register: 3 })
    await run(user, job)
    const devices: { name: string; attributes: { site: string } }[] = await devicesOf(user)
    expect(devices.map(({ name }) => name).sort()).toEqual(strings.toSorted())
    expect(devices.map(({ attributes }) => attributes.site)).toEqual(devices.map(({ name }) => name))
  })

  it('rejects a second row for the same device, and accepts more rows in later requests', async () => {
    const [user, ids] = await newFleet(app, 1)
    const attempt = (csv: string, more: object = {}) =>
      codeOf(user, createText, { target: { csv, register: true }, ...more })
    expect(await attempt(`id,name\n${ids[0]},\n,gate 0\n`)).toEqual([
      'BAD_USER_INPUT',
      'CSV lines 2 and 3 identify the same device: keep only one of them',
    ])
    expect(await attempt('name\na\nb\na\n')).toEqual([
      'BAD_USER_INPUT',
      'CSV lines 2 and 4 identify the same device: keep only one of them',
    ])
    const open = await create(user, 'name,site\na,oslo\nb,oslo\n', { register: true, open: true } as object)
    expect(open.state).toBe('DRAFT')
    const append = (csv: string) =>
      user.query('mutation ($id: ID!, $csv: String) { appendBulk(id: $id, csv: $csv) { counts { total } } }', {
        id: open.id,
        csv,
      })
    expect((await append('name,site\nc,oslo\nb,oslo\n')).errors?.[0]?.message).toBe(
      'CSV lines 3 and 5 identify the same device: keep only one of them',
    )
    expect((await append('name\nc\n')).errors?.[0]?.message).toMatch(
      /must have the columns of the first CSV, in the same order: name, attributes.site/,
    )
    expect((await append('name,site\nc,oslo\nd,oslo\n')).data).toEqual({ appendBulk: { counts: { total: 4 } } })
    await call(user, 'preview', open.id)
    const { login } = await user.data(`{ login { bulkJob(id: "${open.id}") { counts { register } token } } }`)
    expect(login.bulkJob[0].counts).toEqual({ register: 4 })
    await run(user, { id: open.id, token: login.bulkJob[0].token })
    expect(await devicesOf(user)).toHaveLength(5)
  })

  it('rejects invalid files and arguments', async () => {
    const user = await app.createUser()
    const attempts: [object, object[], RegExp][] = [
      [{ csv: '' }, [], /target.csv: the file is empty/],
      [{ csv: 'site\noslo' }, [], /no column "id", "hardwareId", or "name"/],
      [{ csv: 'name\n' }, [], /must contain at least one row/],
      [{ csv: 'name,Platform\na,b' }, [], /unknown column "Platform"\. Did you mean "platform"\?/],
      [{ csv: 'name\na', ids: ['x'] }, [], /exactly one of these: where, view, or both; ids; or csv/],
      [{ csv: 'name\na', context: 'night' }, [], /target.context requires target.where or target.view/],
      [{ ids: ['x'], context: 'night' }, [setSite('x')], /target.context requires target.where or target.view/],
      [{ ids: ['x'], register: true }, [setSite('x')], /target.register requires target.csv/],
      [
        { csv: 'name\na', register: true },
        [{ delete: {} }],
        /if target.register is true, only update, addService, and setAttributes/,
      ],
    ]
    for (const [target, operations, message] of attempts)
      expect(await codeOf(user, createText, { target, operations })).toEqual([
        'BAD_USER_INPUT',
        expect.stringMatching(message),
      ])
    const rows = `name\n${Array.from({ length: 10_001 }, (_, index) => index).join('\n')}\n`
    expect((await codeOf(user, createText, { target: { csv: rows } }))[0]).toBe('LIMIT_EXCEEDED')
  })

  it('needs the permissions that its columns require', async () => {
    const user = await app.createUser()
    await register(user, 'a')
    await sql`update access_key set permissions = ${['DEVICE_READ', 'ATTRIBUTE_WRITE']} where key = ${user.keyId}`.execute(
      app.db,
    )
    // A new server has not cached the key, so it reads the new permissions.
    const other = await app.startAnother()
    const attempt = async (csv: string, registers = false) =>
      (await codeOf(other.as(user), createText, { target: { csv, register: registers } }))[0]
    expect(await attempt('name,site\na,oslo\n')).toBeUndefined()
    expect(await attempt('name,platform\na,linux\n')).toBe('FORBIDDEN')
    expect(await attempt('name,site\nb,oslo\n', true)).toBe('FORBIDDEN')
    await other.close()
  })

  it('returns the secrets of new devices once, and a report of all rows', async () => {
    const user = await app.createUser()
    await register(user, 'old', {})
    const text = `mutation ($csv: String!) { createBulk(target: { csv: $csv, register: true, secrets: true },
      operations: []) { id token secretsUrl } }`
    const { createBulk: job } = await user.data(text, {
      csv: 'name,hardwareId,site\nold,,oslo\nnew-1,H-1,oslo\nnew-2,,oslo\n',
    })
    expect(job.secretsUrl).toBeNull()
    await run(user, job)
    const links = async () =>
      (await user.data(`{ login { bulkJob(id: "${job.id}") { reportUrl secretsUrl } } }`)).login.bulkJob[0]
    const { reportUrl, secretsUrl } = await links()
    const report = await (await fetch(reportUrl)).text()
    expect(report.split('\n')).toHaveLength(5)
    expect(report).toContain(',new-1,3,REGISTER,DONE,,,,"{""register"":')

    expect((await fetch(secretsUrl, { method: 'HEAD' })).status).toBe(404)
    const response = await fetch(secretsUrl)
    expect(response.headers.get('content-type')).toMatch(/text\/csv/)
    const [header, ...rows] = (await response.text()).trimEnd().split('\n')
    expect(header).toBe('id,name,hardwareId,secret')
    expect(rows).toHaveLength(2)
    for (const row of rows) {
      const [id, name, , secret] = row.split(',')
      const connected = await post(app, 'report', { state: 'active' }, basic(id!, secret!))
      expect([name, connected.status]).toEqual([expect.stringMatching(/new-/), 200])
    }
    const again = await fetch(secretsUrl)
    expect([again.status, await again.text()]).toEqual([404, expect.stringContaining('were already downloaded')])
    expect((await links()).secretsUrl).toBeNull()
    expect(await codeOf(user, createText, { target: { csv: 'name\na\n', secrets: true } })).toEqual([
      'BAD_USER_INPUT',
      'target.secrets requires target.register',
    ])
  })

  it("registers 2,500 devices in one job, each exactly once, and updates the database's statistics", async () => {
    const analyzed = await countAnalyses()
    const user = await app.createUser()
    const rows = Array.from({ length: 2_500 }, (_, index) => `d-${index},H-${index},oslo`)
    const csv = (from: number, to: number) => `name,hardwareId,site\n${rows.slice(from, to).join('\n')}\n`
    const { createBulk: job } = await user.data(createText, {
      target: { csv: csv(0, 1_500), register: true },
      open: true,
    })
    await user.data('mutation ($id: ID!, $csv: String) { appendBulk(id: $id, csv: $csv) { id } }', {
      id: job.id,
      csv: csv(1_500, 2_500),
    })
    await call(user, 'preview', job.id)
    const ready = await until(user, job.id, 'READY')
    await user.data(`mutation { startBulk(id: "${job.id}", token: "${ready.token}", expected: 2500) { id } }`)
    await call(user, 'resume', job.id, ', rate: 10000').catch(() => {})
    expect((await until(user, job.id, 'DONE')).counts).toMatchObject({ done: 2_500, failed: 0 })
    const { login } = await user.data('{ login { devices(size: 1) { total } } }')
    expect(login.devices.total).toBe(2_500)
    await expect.poll(countAnalyses).toBe(analyzed + 1)
  })
})
