import { jobNameOf } from '@muster/fleet-csv/import/run-job'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { copyJob, makeOld } from '../../../server/test/api/bulk-jobs.ts'
import { startTestApp, type TestApp, type TestUser } from '../../../server/test/harness/app.ts'
import { startBatchProxy } from '../harness/batch-proxy.ts'
import { addDevices } from '../harness/cli-user.ts'
import { credentialsOf, temporaryFolder } from '../harness/muster.ts'
import { counts, openWorkspace } from './workspace.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ worker: true })
})
afterAll(() => app.close())

describe('importing rows', () => {
  it("updates the device that has the row's hardware ID or unique name", async () => {
    const workspace = await openWorkspace(app)
    await workspace.import('name,hardwareId,services,site,net.ssid\na,H1,ssh:22;web=http:80,oslo,lab\nb,,,bergen,\n')
    const again =
      'name,hardwareId,platform,services,site,net.ssid\na2,H1,linux,web=http:host:81;!cam=rtsp,,""\nb,,,,oslo,x\n'
    expect(await workspace.import(again)).toMatchObject({ code: 0, ...counts(0, 2, 0) })
    expect(await workspace.import(again)).toMatchObject({ code: 0, ...counts(0, 0, 2) })
    expect(await workspace.devices()).toMatchObject([
      {
        name: 'a2',
        hardwareId: 'H1',
        platform: 'linux',
        attributes: { site: 'oslo', net: { ssid: '' } },
        services: [
          { name: 'cam', host: null, port: 554, enabled: false },
          { name: 'ssh', port: 22 },
          { name: 'web', host: 'host', port: 81, enabled: true },
        ],
      },
      { name: 'b', attributes: { site: 'oslo', net: { ssid: 'x' } } },
    ])
  })

  it('changes nothing when rows with duplicate names are imported again in any order', async () => {
    const workspace = await openWorkspace(app)
    const rows = ['same,,', 'same,oslo,', 'same,,A1', 'same,oslo,A1', 'same,bergen,', 'same,bergen,A1']
    expect(await workspace.import(`name,site,rack\n${rows.join('\n')}\n`)).toMatchObject({
      code: 0,
      ...counts(6, 0, 0),
    })
    for (const file of [rows, rows.toReversed()]) {
      expect(await workspace.import(`name,site,rack\n${file.join('\n')}\n`)).toMatchObject({
        code: 0,
        ...counts(0, 0, 6),
      })
    }
  })

  it('reports rows with errors by line number, and imports the other rows', async () => {
    const workspace = await openWorkspace(app)
    const file = [
      ...[
        'name,hardwareId,services,net,net.ssid',
        'fine,H1,ssh:22,,',
        ',H2,,,',
        'short,H3',
        '5" disk,H4,,,',
        'twice,H1,,,',
      ],
      ...[
        'both,H5,,a,b',
        'type,H6,nope:22,,',
        'port,H7,ssh:99999,,',
        'host,H8,ssh:a/b:22,,',
        '"over\ntwo lines",H9,,,',
        'last,H10,,,',
      ],
    ].join('\n')
    const bytes = Buffer.concat([Buffer.from(`${file}\nlatin `), Buffer.from([0xe9]), Buffer.from(',H11,,,\n')])
    expect(await workspace.import(bytes)).toMatchObject({
      code: 3,
      ...counts(3, 0, 0),
      problems: [
        { line: 3, reason: expect.stringContaining('name must not be empty') },
        { line: 4, reason: expect.stringContaining('the row has 2 cells, but the header has 5 columns') },
        { line: 5, reason: expect.stringContaining('quote') },
        { line: 6, reason: expect.stringContaining('hardwareId "H1" is already on line 2') },
        { line: 7, reason: expect.stringContaining('net cannot be both a value and the group of net.ssid') },
        { line: 8, reason: expect.stringMatching(/^services: unknown type "nope"; [^{]*$/) },
        { line: 9, reason: expect.stringContaining('port must be from 1 to 65535') },
        // Only the server detects the invalid host.
        { line: 10, reason: expect.stringMatching(/^services, entry 1: host [^()]*$/) },
        { line: 14, reason: expect.stringContaining('UTF-8') },
      ],
    })
    expect((await workspace.devices()).map(({ name }) => name)).toEqual(['fine', 'last', 'over\ntwo lines'])
  })

  it('makes all other changes if the server rejects one change', async () => {
    const workspace = await openWorkspace(app)
    await workspace.import('name,services\na,ssh:22\nb,ssh:22\nc,ssh:22\n')
    const changed = 'name,services,site\na,ssh:23,x\nb,ssh:a/b:22,x\nc,ssh:24,x\n'
    expect(await workspace.import(changed)).toMatchObject({ code: 3, ...counts(0, 2, 0), problems: [{ line: 3 }] })
    expect(await workspace.import(changed)).toMatchObject({ code: 3, ...counts(0, 0, 2), problems: [{ line: 3 }] })
  })

  it('stops if an error would affect every row', async () => {
    const workspace = await openWorkspace(app)
    const { createAccessKey: key } = await workspace.user.data(
      'mutation { createAccessKey(readOnly: true) { key secret } }',
    )
    const folder = await temporaryFolder()
    const reader = { ...workspace.user, keyId: key.key, secret: key.secret }
    const credentials = await folder.write('credentials', credentialsOf(app.url, reader))
    const { code, notTried, error, stderr } = await workspace.import('name\na\nb\n', '--credentials', credentials)
    expect({ code, notTried, error }).toMatchObject({ code: 5, notTried: 2, error: { code: 'FORBIDDEN' } })
    expect(JSON.parse(stderr as string)).toEqual({ error })
  })

  it('imports nothing with --dry-run, or with --strict if a row has an error', async () => {
    const workspace = await openWorkspace(app)
    const rows = 'name,hardwareId\na,H1\nb,H1\n'
    expect(await workspace.import(rows, '--strict')).toMatchObject({
      code: 1,
      ...counts(0, 0, 0),
      problems: [{ line: 3 }],
    })
    expect(await workspace.import(rows, '--dry-run')).toMatchObject({ code: 3, ...counts(1, 0, 0) })
    // Only the server detects the invalid host.
    expect(await workspace.import('name,services\na,\nb,ssh:a/b:22\n', '--strict')).toMatchObject({
      code: 1,
      ...counts(0, 0, 0),
      problems: [{ line: 3 }],
    })
    expect(await workspace.devices()).toEqual([])
  })

  it('rejects a row with an ambiguous name unless a device has the same values', async () => {
    const workspace = await openWorkspace(app)
    expect(await workspace.import('name,site\nsame,a\nsame,b\n')).toMatchObject({ code: 0, ...counts(2, 0, 0) })
    expect(await workspace.import('name,site\nsame,b\nsame,a\n')).toMatchObject({ code: 0, ...counts(0, 0, 2) })
    const changed = await workspace.import('name,site\nsame,c\n')
    expect(changed).toMatchObject({
      code: 3,
      problems: [{ line: 2, reason: expect.stringContaining('add a hardwareId') }],
    })
  })

  it('finds devices in an account that is much larger than the file', async () => {
    const workspace = await openWorkspace(app)
    const names = Array.from({ length: 60 }, (_, number) => `big-${number},${number % 2 ? `B-${number}` : ''}\n`)
    await workspace.import(`name,hardwareId\n${names.join('')}`)
    const few = 'name,hardwareId,site\nbig-1,B-1,x\nbig-2,,y\nbig-new,B-new,z\n'
    expect(await workspace.import(few)).toMatchObject({ code: 0, ...counts(1, 2, 0) })
    expect(await workspace.import(few)).toMatchObject({ code: 0, ...counts(0, 0, 3) })
  })
})

describe('importing rows as a job', () => {
  it('reports the lines of rejected rows in a file of several parts, even after cells with several lines', async () => {
    const workspace = await openWorkspace(app)
    const rows = Array.from({ length: 5_200 }, (_, number) => `node-${number},HW-${number},,"a\nb"`)
    const invalid = [10, 5_100]
    for (const index of invalid) rows[index] = `node-${index},HW-${index},ssh:a/b:22,x`
    const file = `name,hardwareId,services,note\n${rows.join('\n')}\n`
    const lines = invalid.map((index) => 2 + 2 * index - invalid.filter((other) => other < index).length)
    const { code, problems, job } = await workspace.import(file)
    expect({ code, problems }).toMatchObject({ code: 3, problems: lines.map((line) => ({ line })) })
    const { login } = await workspace.user.data(
      `{ login { devices { total } bulkJob(id: "${job}") { name state counts { done rejected } } } }`,
    )
    expect(login).toMatchObject({
      devices: { total: 5_198 },
      bulkJob: [{ name: expect.stringContaining('Import of devices.csv'), state: 'DONE', counts: { rejected: 2 } }],
    })
    expect(await workspace.import(file)).toMatchObject({ code: 3, ...counts(0, 0, 5_198), problems: [{}, {}] })
  })

  it.each([
    [
      'another client cancels it',
      (user: TestUser, id: string) => user.data(`mutation { cancelBulk(id: "${id}") { id } }`),
      /^another client canceled the job \S+; import the file again to continue$/,
    ],
    [
      'it expires',
      (_user: TestUser, id: string) => makeOld(app, id),
      /^the job \S+ expired before it started; import the file again$/,
    ],
  ])('reports that the job did not run if %s', async (_name, interfere, message) => {
    const { user, import: importFile, devices } = await openWorkspace(app)
    const proxy = await startBatchProxy(app.url, 'query ReadJob', async (number) => {
      if (number > 1) return
      const { login } = await user.data('{ login { bulkJobs { items { id state } } } }')
      expect(login.bulkJobs.items).toEqual([{ id: expect.any(String), state: 'READY' }])
      await interfere(user, login.bulkJobs.items[0].id)
    })
    const folder = await temporaryFolder()
    const credentials = await folder.write('credentials', credentialsOf(proxy.url, user))
    expect(await importFile('name\na\nb\n', '--credentials', credentials)).toMatchObject({
      code: 1,
      ...counts(0, 0, 0),
      notTried: 2,
      error: { message: expect.stringMatching(message) },
    })
    expect(await devices()).toEqual([])
  })

  it('reports why the job is paused and how to continue, without a stack trace', async () => {
    // Without a worker, the job does not end before the test pauses it.
    const idleApp = await startTestApp()
    onTestFinished(() => idleApp.close())
    const { user, run } = await openWorkspace(idleApp)
    const proxy = await startBatchProxy(idleApp.url, 'query ReadJob', async (number) => {
      if (number !== 2) return
      const { login } = await user.data('{ login { bulkJobs(state: [RUNNING]) { items { id } } } }')
      await user.data(`mutation { pauseBulk(id: "${login.bulkJobs.items[0].id}") { id } }`)
    })
    const folder = await temporaryFolder()
    const credentials = await folder.write('credentials', credentialsOf(proxy.url, user))
    const file = await folder.write('devices.csv', 'name\na\nb\n')
    const { code, stderr } = await run('import', file, '--credentials', credentials)
    expect(code).toBe(1)
    expect(stderr).toMatch(
      /^muster: the job \S+ is paused: paused on request; resume the job, or import the file again\n$/m,
    )
    expect(stderr).not.toContain('    at ')
  })

  it('waits for another import of the same file that starts its job in the meantime, and reads the devices again', async () => {
    // Without a worker, the job of the other import runs until the test cancels it.
    const idleApp = await startTestApp()
    onTestFinished(() => idleApp.close())
    const { user, import: importFile, devices } = await openWorkspace(idleApp)
    const file = 'name\na\nb\n'
    const jobName = jobNameOf('devices.csv', Buffer.from(file))
    let other = ''
    const finishing = await startBatchProxy(idleApp.url, 'query ReadJob', async (number) => {
      if (number > 1) return
      await addDevices(user, ['a', 'b'])
      await user.data(`mutation { cancelBulk(id: "${other}") { id } }`)
    })
    const proxy = await startBatchProxy(finishing.url, 'devices(size: 1)', async (number) => {
      if (number > 1) return
      const document = `mutation ($csv: String!, $name: String) {
        createBulk(target: { csv: $csv, register: true }, operations: [], name: $name) { id token } }`
      const { createBulk } = await user.data(document, { csv: file, name: jobName })
      other = createBulk.id
      await user.data(`mutation { startBulk(id: "${other}", token: "${createBulk.token}") { id } }`)
      // A page of 100 jobs does not contain the job.
      await copyJob(idleApp, other, 100)
    })
    const folder = await temporaryFolder()
    const credentials = await folder.write('credentials', credentialsOf(proxy.url, user))
    expect(await importFile(file, '--credentials', credentials)).toMatchObject({ code: 0, ...counts(0, 0, 2) })
    expect(await devices()).toHaveLength(2)
  })

  it('requires only the permissions for the columns that change', async () => {
    const workspace = await openWorkspace(app)
    await workspace.import('name,platform,site\na,linux,oslo\n')
    const { createAccessKey: key } = await workspace.user.data(
      'mutation { createAccessKey(access: { permissions: [DEVICE_READ, ATTRIBUTE_WRITE] }) { key secret } }',
    )
    const folder = await temporaryFolder()
    const credentials = await folder.write(
      'credentials',
      credentialsOf(app.url, { ...workspace.user, keyId: key.key, secret: key.secret }),
    )
    expect(await workspace.import('name,platform,site\na,linux,rome\n', '--credentials', credentials)).toMatchObject({
      code: 0,
      ...counts(0, 1, 0),
    })
  })

  it('imports rows with a key that is restricted to some devices', async () => {
    const workspace = await openWorkspace(app)
    await workspace.import('name,site,rack\na,oslo,1\nb,rome,1\n')
    const { createAccessKey: key } = await workspace.user.data(
      `mutation { createAccessKey(access: { permissions: [DEVICE_READ, ATTRIBUTE_WRITE], where: "site = oslo" }) {
        key secret } }`,
    )
    const folder = await temporaryFolder()
    const credentials = await folder.write(
      'credentials',
      credentialsOf(app.url, { ...workspace.user, keyId: key.key, secret: key.secret }),
    )
    expect(await workspace.import('name,rack\na,2\n', '--credentials', credentials)).toMatchObject({
      code: 0,
      ...counts(0, 1, 0),
    })
  })
})

describe('importing a file', () => {
  it('rejects a file without a name column, and explains why', async () => {
    const workspace = await openWorkspace(app)
    await expect(workspace.import('hardwareId\nH1\n')).rejects.toThrow('there is no column "name"')
    expect(await workspace.devices()).toEqual([])
  })
})
