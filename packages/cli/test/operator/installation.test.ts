import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { TestDatabase } from '../../../server/test/database/test-database.ts'
import { claimPorts } from '../../../server/test/harness/ports.ts'
import { muster, startMuster, temporaryFolder } from '../harness/muster.ts'
import { createInstallations } from './installations.ts'

const installations = createInstallations()
afterAll(installations.drop)
const newInstallation = installations.create

describe('an installation', () => {
  it('serves, adds users, runs queries, and stops on a signal', async () => {
    const { env: usual, folder } = await newInstallation()
    // Reserve a port, so that no other server responds on it after this server has stopped.
    const [port] = await claimPorts(1)
    const env = { ...usual, PORT: String(port) }
    const server = startMuster(['serve'], { env })
    await server.waitForOutput('stdout', /is ready/)

    const added = await muster(['users', 'add', 'Ada@example.com', '--json'], { env })
    const credentials = join(folder, 'credentials-ada@example.com')
    expect(JSON.parse(added.stdout)).toMatchObject({ email: 'Ada@example.com', credentials })
    expect((await stat(credentials)).mode & 0o777).toBe(0o600)

    const owner = await muster(['query', '{ login { email } }'], { env })
    expect(owner).toMatchObject({ code: 0, stdout: '{"data":{"login":{"email":"owner@localhost"}}}\n' })
    const ada = await muster(['query', '--credentials', credentials], { env, input: '{ login { email } }' })
    expect(ada.stdout).toBe('{"data":{"login":{"email":"Ada@example.com"}}}\n')

    server.child.kill('SIGTERM')
    expect(await server.done).toMatchObject({ code: 0 })
    const away = await muster(['query', '{ version }', '--json'], { env })
    expect(away.code).toBe(6)
    expect(JSON.parse(away.stderr)).toMatchObject({
      error: { code: 'UNREACHABLE', hint: expect.stringContaining('muster serve') },
    })
  })

  it('runs no migrations if the schema is up to date', async () => {
    const { env } = await newInstallation()
    expect(await muster(['migrate', '--json'], { env })).toMatchObject({ code: 0, stdout: '{"migrations":[]}\n' })
  })

  it('names the setting of a database that a command cannot reach', async () => {
    const { code, stderr } = await muster(['migrate'], { env: { DATABASE_URL: 'postgresql://127.0.0.1:1/none' } })
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining('DATABASE_URL') })
  })
})

describe('sample fleets', () => {
  const fleets = async ({ db }: TestDatabase) => ({
    devices: await db.selectFrom('device').selectAll().orderBy('id').execute(),
    live: await db.selectFrom('device_live').selectAll().orderBy('device_id').execute(),
    services: await db.selectFrom('service').selectAll().orderBy('id').execute(),
  })
  const anonymous = (rows: { account_id: string }[]) => rows.map(({ account_id: _account, ...rest }) => rest)

  it('creates the same devices every time, and adds them only once', async () => {
    const [one, other] = [await newInstallation(), await newInstallation()]
    const args = ['seed', '--users', '2', '--devices', '300', '--services', '3', '--json']
    const first = await muster(args, { env: one.env })
    expect(JSON.parse(first.stdout)).toMatchObject({
      fleets: [
        { email: 'owner@localhost', added: 300 },
        { email: 'fleet-2@example.com', added: 300 },
      ],
    })
    const again = await muster(args, { env: one.env })
    expect(JSON.parse(again.stdout)).toMatchObject({ fleets: [{ added: 0 }, { added: 0 }] })
    await muster(args, { env: other.env })

    const created = await fleets(one.database)
    expect([created.devices, created.live, created.services].map(({ length }) => length)).toEqual([600, 600, 1_800])
    const sameFleets = await fleets(other.database)
    for (const table of ['devices', 'live', 'services'] as const) {
      expect(anonymous(sameFleets[table])).toEqual(anonymous(created[table]))
    }
    const ids = [...created.devices, ...created.services].map(({ id }) => id)
    expect(new Set(ids).size).toBe(2_400)
    for (const id of ids) expect(id).toMatch(/^80(:[0-9a-f]{2}){7}$/)
    expect(new Set(created.live.map(({ state }) => state))).toEqual(new Set(['active', 'inactive']))
    expect(created.services.every(({ port }) => port !== null)).toBe(true)
  })

  it('requires a whole number of devices', async () => {
    expect(await muster(['seed', '--devices', 'many'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('whole number'),
    })
  })
})

describe('the embedded database', () => {
  it('starts for a command if no server is running', async () => {
    const { path } = await temporaryFolder()
    const env = { MUSTER_DATA: join(path, 'data') }
    const { stdout, stderr, code } = await muster(['seed', '--devices', '20', '--services', '0', '--json'], { env })
    expect({ stderr, code }).toEqual({ stderr: '', code: 0 })
    expect(JSON.parse(stdout)).toMatchObject({ fleets: [{ email: 'owner@localhost', added: 20 }] })
    expect(await stat(join(env.MUSTER_DATA, 'credentials'))).toBeDefined()
  })

  it.each([
    ['users', 'add', 'ada@example.com'],
    ['users', 'reset-password', 'ada@example.com'],
    ['keys', 'rotate-master'],
    ['backup', 'night.backup'],
  ])('does not start for %s %s without an existing installation', async (...args) => {
    const { path } = await temporaryFolder()
    const env = { MUSTER_DATA: join(path, 'data') }
    const { code, stderr } = await muster(args, { env })
    expect({ code, stderr }).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`no Muster installation found in ${path}/data`),
    })
    expect(stderr).toContain('Set MUSTER_DATA or DATABASE_URL')
    expect(await readdir(path)).toEqual([])
  })
})

describe('help', () => {
  const commands = [
    [],
    ['serve'],
    ['migrate'],
    ['users'],
    ['users', 'add'],
    ['users', 'reset-password'],
    ['seed'],
    ['import'],
    ['export'],
    ['query'],
  ]

  it.each(commands.map((command) => [command]))('prints the help of muster %j', async (command) => {
    expect(await muster([...command, '--help'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Usage: muster'),
      stderr: '',
    })
  })

  it('mentions the help in errors about commands and arguments, and asks for a missing document', async () => {
    expect(await muster(['impotr'])).toMatchObject({ code: 2, stderr: expect.stringContaining('muster --help') })
    expect(await muster(['import'])).toMatchObject({ code: 2, stderr: expect.stringContaining('muster import --help') })
    expect(await muster(['query', '-'], { input: '\n' })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('pass a document'),
    })
  })
})
