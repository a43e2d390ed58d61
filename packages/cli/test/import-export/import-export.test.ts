import { execFile } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { formatCsvRow } from '@muster/fleet-csv/csv/rfc-4180'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { seedDevices } from '../../../server/test/factories/seed-devices.ts'
import { startTestApp, type TestApp } from '../../../server/test/harness/app.ts'
import { launcherPath } from '../../../server/test/harness/bundled-programs.ts'
import { startBatchProxy } from '../harness/batch-proxy.ts'
import { credentialsOf, muster, startMuster, temporaryFolder } from '../harness/muster.ts'
import { counts, openWorkspace } from './workspace.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ worker: true })
})
afterAll(() => app.close())

/** More devices than one page of the API can contain. */
const count = 1_020

describe('a file of many devices', () => {
  const rows = Array.from({ length: count }, (_, number) =>
    formatCsvRow([
      `node-${number}`,
      number % 3 === 0 ? null : `HW-${number}`,
      'linux',
      'ssh:22;web=http:8080',
      `site ${number % 7}`,
      number % 2 ? 'lab' : '',
      'A',
    ]),
  )
  const header = '\uFEFFname,hardwareId,platform,services,site,net.ssid,$svc.categoryA\r\n'
  const file = [header, ...rows].join('')

  it('changes nothing when imported again, and creates the same devices for another user', async () => {
    const one = await openWorkspace(app)
    expect(await one.import(file)).toMatchObject({ code: 0, rows: count, ...counts(count, 0, 0), problems: [] })
    const before = await one.devices()
    expect(await one.import(file)).toMatchObject({ code: 0, ...counts(0, 0, count) })
    expect(await one.devices()).toEqual(before)

    const exported = await one.export()
    expect(await one.import(exported)).toMatchObject({ code: 0, ...counts(0, 0, count) })
    const other = await openWorkspace(app)
    expect(await other.import(exported)).toMatchObject({ code: 0, ...counts(count, 0, 0) })
    expect(await other.import(exported)).toMatchObject({ code: 0, ...counts(0, 0, count) })
    expect(await other.export()).toBe(exported)
  })

  it('continues on the server after the command is killed, and the next import changes nothing', async () => {
    const user = await app.createUser()
    const folder = await temporaryFolder()
    const proxy = await startBatchProxy(app.url, 'startBulk', () => void running.child.kill('SIGKILL'))
    const env = { MUSTER_CREDENTIALS: await folder.write('credentials', credentialsOf(proxy.url, user)) }
    const path = await folder.write('devices.csv', file)
    const running = startMuster(['import', path], { env })
    await running.done
    // The server may receive the request that starts the job only after the command has ended.
    const jobs = async (): Promise<{ started: string | null }[]> =>
      (await user.data('{ login { bulkJobs { items { started } } } }')).login.bulkJobs.items
    await expect.poll(jobs).toEqual([{ started: expect.any(String) }])
    const next = await muster(['import', path, '--json'], { env })
    expect(JSON.parse(next.stdout)).toMatchObject(counts(0, 0, count))
  })

  it('stops at Ctrl-C, prints the progress, and continues with the next import', async () => {
    const user = await app.createUser()
    const folder = await temporaryFolder()
    const proxy = await startBatchProxy(app.url, 'createBulk', async (number) => {
      if (number !== 1) return
      running.child.kill('SIGINT')
      await running.waitForOutput('stderr', /Stopping after/)
    })
    const env = { MUSTER_CREDENTIALS: await folder.write('credentials', credentialsOf(proxy.url, user)) }
    const path = await folder.write('devices.csv', [header, ...rows.slice(0, 300)].join(''))
    const total = async (): Promise<number> => (await user.data('{ login { devices { total } } }')).login.devices.total
    const running = startMuster(['import', path], { env })
    const { code, stdout, stderr } = await running.done
    const created = await total()
    expect(code).toBe(130)
    expect(created).toBeLessThan(300)
    expect(stdout).toContain(`${created} created, 0 updated`)
    expect(stderr).toContain(`${300 - created} rows are not confirmed as imported`)
    const next = await muster(['import', path, '--json'], { env })
    expect(JSON.parse(next.stdout)).toMatchObject(counts(300 - created, 0, created))
  })

  it('reports that devices may have been imported if the server is lost after Ctrl-C', async () => {
    const user = await app.createUser()
    const folder = await temporaryFolder()
    const proxy = await startBatchProxy(app.url, 'startBulk', async (number) => {
      if (number !== 1) return
      running.child.kill('SIGINT')
      await running.waitForOutput('stderr', /Stopping after/)
      proxy.interrupt()
    })
    const env = { MUSTER_CREDENTIALS: await folder.write('credentials', credentialsOf(proxy.url, user)) }
    const path = await folder.write('devices.csv', [header, ...rows.slice(0, 10)].join(''))
    const running = startMuster(['import', path], { env })
    const { code, stderr } = await running.done
    const total = async (): Promise<number> => (await user.data('{ login { devices { total } } }')).login.devices.total
    await expect.poll(total).toBe(10)
    expect(stderr).toContain('the mutation may have run')
    expect(code).toBe(8)
  })
})

describe('exporting devices', () => {
  // The API accepts all of these: quotes, separators of cells and services, formulas, line ends, and leading and
  // trailing spaces.
  const awkward = fc.string({
    unit: fc.constantFrom(
      '"',
      ',',
      '\n',
      '\r',
      ' ',
      ';',
      ':',
      '=',
      '!',
      '\\',
      '[',
      'a',
      '1',
      '💡',
      '\u202e',
      "'",
      '-',
      '@',
    ),
  })
  const name = fc
    .oneof(awkward, fc.string({ unit: 'grapheme' }), fc.constantFrom("=cmd|' /C calc'!A0", 'NULL', '-1', 'name'))
    .map((text) => text.replaceAll('\u0000', ''))
    .filter((text) => text.trim() !== '' && [...text].length <= 90)
  const attribute = fc.constantFrom(
    'site',
    'net.ssid',
    'name',
    'services',
    'attributes.x',
    'a b',
    '$svc.statusA',
    'ü.ñ.o',
    'x,"y"',
  )
  const device = fc.record({
    name,
    hardwareId: fc.option(name),
    platform: fc.option(name),
    attributes: fc.dictionary(attribute, awkward, { maxKeys: 4 }),
    services: fc.array(
      fc.record({
        name,
        application: fc.constantFrom(1, 7, 28, 71, 73),
        host: fc.constantFrom(null, '10.0.0.1', 'fe80::1%eth0', '[::1]', '8080', '-', 'a;b=c!d'),
        port: fc.option(fc.integer({ min: 1, max: 65_535 })),
        enabled: fc.boolean(),
      }),
      { maxLength: 3 },
    ),
  })

  it('exports unusual values so that a later import restores them', async () => {
    const [one, other] = [await openWorkspace(app), await openWorkspace(app)]
    // A fixed seed makes failures reproducible.
    const devices = fc.sample(
      fc.uniqueArray(device, { selector: ({ hardwareId }) => hardwareId ?? {}, minLength: 60, maxLength: 60 }),
      { numRuns: 1, seed: 1 },
    )[0]!
    for (const { services, ...rest } of devices) {
      const { registerDevice } = await one.user.data(
        `mutation($name: String!, $hardwareId: String, $platform: String, $attributes: Object, $services: [ServiceInput!]) {
          registerDevice(name: $name, hardwareId: $hardwareId, platform: $platform, attributes: $attributes, services: $services) {
            device { services { id port } } } }`,
        { ...rest, services },
      )
      // Remove the port explicitly, because the server replaces an omitted port with the type's default port.
      if (rest.platform !== null) continue
      for (const { id } of registerDevice.device.services) {
        await one.user.data('mutation($id: ID!) { updateService(id: $id, port: null) { id } }', { id })
      }
    }
    const exported = await one.export()
    expect(await one.import(exported)).toMatchObject({ code: 0, ...counts(0, 0, 60) })
    expect(await other.import(exported)).toMatchObject({ code: 0, ...counts(60, 0, 0) })
    expect(await other.import(exported)).toMatchObject({ code: 0, ...counts(0, 0, 60) })
    const lines = (text: string): string[] => text.split('\n').sort()
    expect(lines(await other.export())).toEqual(lines(exported))
  })

  it('neutralizes formulas without --raw', async () => {
    const [one, other] = [await openWorkspace(app), await openWorkspace(app)]
    const attributes = { '=x': '1', site: '-5', note: "'=1", call: '+1 212 555' }
    await seedDevices(app.db, one.user.accountId, [{ name: '=1+1', attributes }])
    const exported = await one.export()
    expect(exported).toBe(`name,hardwareId,platform,services,'=x,call,note,site\n'=1+1,,,,1,'+1 212 555,''=1,-5\n`)
    await other.import(exported)
    expect(await other.devices()).toMatchObject([{ name: '=1+1', attributes }])
    const { stdout: raw } = await one.run('export', '--raw')
    expect(raw).toBe(`name,hardwareId,platform,services,=x,call,note,site\n=1+1,,,,1,+1 212 555,'=1,-5\n`)
    expect(await other.import(raw, '--raw')).toMatchObject({ code: 0, ...counts(0, 0, 1) })
    const list = (...options: string[]) => one.run('devices', 'list', '--columns', 'name,site', '--csv', ...options)
    expect((await list()).stdout).toBe("name,site\n'=1+1,-5\n")
    expect((await list('--raw')).stdout).toBe('name,site\n=1+1,-5\n')
  })

  it('reports that the file cannot be written, and removes it', async () => {
    const workspace = await openWorkspace(app)
    await seedDevices(app.db, workspace.user.accountId, [{ name: 'a', attributes: { note: 'x'.repeat(5_000) } }])
    const folder = await temporaryFolder()
    const credentials = await folder.write('credentials', credentialsOf(app.url, workspace.user))
    const file = join(folder.path, 'devices.csv')
    const script = 'ulimit -f 1; exec "$@"'
    const command = [process.execPath, launcherPath(), 'export', '--output', file, '--credentials', credentials]
    const exported = promisify(execFile)('bash', ['-c', script, 'bash', ...command], { env: { HOME: '/nowhere' } })
    await expect(exported).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`cannot write ${file}.partial: EFBIG`),
    })
    expect(await readdir(folder.path)).toEqual(['credentials'])
  })

  it('stops without an error when the reader closes the output', async () => {
    const workspace = await openWorkspace(app)
    const filler = 'x'.repeat(500)
    const devices = Array.from({ length: 900 }, (_, number) => ({ name: `pipe-${number}`, attributes: { filler } }))
    await seedDevices(app.db, workspace.user.accountId, devices)
    const folder = await temporaryFolder()
    const credentials = await folder.write('credentials', credentialsOf(app.url, workspace.user))
    const { child, done } = startMuster(['export', '--credentials', credentials])
    child.stdout!.once('data', () => child.stdout!.destroy())
    expect(await done).toMatchObject({ code: 0, stderr: '' })
  })
})
