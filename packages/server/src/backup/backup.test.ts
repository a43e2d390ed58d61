import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { pollUntil } from '../../test/api/webhooks.ts'
import { openBrowser } from '../../test/clients/browser.ts'
import { readCredentials, type ServerProcess, sendAs, startServerProcess } from '../../test/harness/server-process.ts'
import { readConfig } from '../config.ts'
import { createEventPartition } from '../db/event-partitions.ts'
import { migrateTo, migrationNames } from '../db/migrate.ts'
import { newDatabase, type OpenDatabase, rowsOf, tablesOf } from './database-fixture.ts'
import { type RestoreOptions, restoreBackup } from './restore-backup.ts'
import { writeBackup } from './write-backup.ts'

interface Data {
  registerDevice: { device: { id: string } }
  login: {
    devices: { items: { id: string; attributes: { count?: string }; inNight: { count?: string } }[] }
    events: { items: { type: string; target: { id: string }[] }[] }
  }
}

const ends: (() => Promise<unknown>)[] = []
let folder: string
let data: string
let source: OpenDatabase
let credentials: Record<string, string>
let cookies: Map<string, string>
let counted: string
/** The API's response to the query `everything`, before the first backup. */
let expected: unknown
/**
 * The paths of two backups: one that was written while the data changed, and one that began after the server had
 * stopped.
 */
let [during, after] = ['', '']

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'muster-backup-'))
  data = join(folder, 'data')
  source = await newDatabase('empty', (end) => ends.push(end))
  const server = await serve(source, (end) => ends.push(end))
  credentials = await readCredentials(data)
  await fill(server)
  expected = await ask(server.url, everything)
  during = join(folder, 'during.backup')
  await backUpWhileWriting(server, during)
  await server.stop()
  await createEventPartition(source.db, new Date('2024-02-01T00:00:00Z'))
  await source.pool.query(`insert into event (account_id, "timestamp", type, targets)
    select id, '2024-02-29', 'DEVICE_REGISTER', '[]' from account`)
  after = join(folder, 'after.backup')
  await writeBackup({ pool: source.pool, file: after })
})
afterAll(async () => {
  for (const end of ends.reverse()) await end()
  await rm(folder, { recursive: true, force: true })
})

const emptyDatabase = (): Promise<OpenDatabase> => newDatabase('empty', onTestFinished)

const serve = (database: OpenDatabase, atEnd: (end: () => Promise<void>) => void = onTestFinished) =>
  startServerProcess({ DATABASE_URL: database.url, MUSTER_DATA: data, MUSTER_WEBHOOK_ALLOW: '127.0.0.1' }, atEnd)

const restore = ({ db, pool }: OpenDatabase, file: string, more: Partial<RestoreOptions> = {}) =>
  restoreBackup({ db, pool, file, config: readConfig({ MUSTER_DATA: data }), ...more })

async function ask(url: string, document: string): Promise<Data> {
  const { body } = await sendAs(credentials, url, document)
  if (body.errors !== undefined) throw new Error(JSON.stringify(body.errors))
  return body.data
}

const everything = `{ login { email attributes accessKeys { key name readOnly enabled created expires }
  registrationCodes { id name prefix uses used expires }
  webhooks { id url events enabled created }
  devices { total items { id name hardwareId platform state created attributes inNight: attributes(context: "night")
    services { id name application port attributes } } } } }`

/** Fills the database. The receiver of the webhook is unreachable, so the webhook's deliveries stay pending. */
async function fill({ url }: ServerProcess): Promise<void> {
  const mutate = (calls: string) => ask(url, `mutation { ${calls} }`)
  await mutate(`createWebhook(url: "https://127.0.0.1:9/hook", events: [DEVICE_REGISTER, ATTRIBUTE_CHANGE]) { id }
    createAccessKey(name: "reader", readOnly: true) { key }
    createRegistrationCode(name: "spring", uses: 3) { code }`)
  const { registerDevice } =
    await mutate(`registerDevice(name: "gate\\tnorth\\n\\\\.", hardwareId: "SN-1", platform: "Zürich ✓",
    attributes: {site: "oslo", odd: "\\\\N \\"quoted\\" \\\\."}, services: [{name: "ssh", port: 22}]) { device { id } }`)
  await mutate(
    `setAttribute(serviceId: "${registerDevice.device.id}", name: "site", context: "night", value: "bergen")`,
  )
  counted = (await mutate('registerDevice(name: "counted") { device { id } }')).registerDevice.device.id
  const browser = openBrowser({ url })
  const { MUSTER_EMAIL: email, MUSTER_PASSWORD: password } = credentials
  await browser.auth('/sign-in/email', { email, password })
  expect((await browser.query('{ login { email } }')).body).toEqual({ data: { login: { email } } })
  // Wait for the deliveries, which the server creates in the background.
  await pollUntil(
    () => source.pool.query('select from webhook_delivery'),
    ({ rowCount }) => rowCount !== 0,
  )
  cookies = browser.cookies
}

/**
 * Writes a backup during changes. One of the changes affects two tables in one statement. The backup copies one of
 * these tables early and the other one late.
 */
async function backUpWhileWriting({ url }: ServerProcess, file: string): Promise<void> {
  let written = false
  const keepWriting = async (write: (count: number) => Promise<unknown>): Promise<void> => {
    for (let [count, isLast] = [2, false]; !isLast; count++) {
      isLast = written
      await write(count)
    }
  }
  const countUp = (count: number) =>
    ask(url, `mutation { setAttribute(serviceId: "${counted}", name: "count", value: "${count}") }`)
  const nameBoth = (count: number) =>
    source.pool.query('with one as (update account set name = $1) update webhook set name = $1', [count])
  await Promise.all([countUp(1), nameBoth(1)])
  const writing = Promise.all([keepWriting(countUp), keepWriting(nameBoth)])
  await writeBackup({ pool: source.pool, file })
  written = true
  await writing
}

describe('a backup', () => {
  it('is readable only by its owner, and does not replace an existing file', async () => {
    expect((await stat(after)).mode & 0o777).toBe(0o600)
    const bytes = await readFile(after)
    await expect(writeBackup({ pool: source.pool, file: after })).rejects.toMatchObject({ reason: 'taken' })
    expect(await readFile(after)).toEqual(bytes)
    expect((await readdir(folder)).filter((name) => name.endsWith('.tmp'))).toEqual([])
  })

  it('does not contain the master key', async () => {
    const key = (await readFile(join(data, 'master.key'), 'utf8')).trim()
    const text = zstdDecompressSync(await readFile(after)).toString('latin1')
    for (const form of ['base64', 'hex', 'latin1'] as const) {
      expect(text).not.toContain(Buffer.from(key, 'base64').toString(form))
    }
  })

  it('fails if the database is not a Muster database', async () => {
    const file = join(folder, 'nothing.backup')
    const { pool } = await emptyDatabase()
    await expect(writeBackup({ pool, file })).rejects.toMatchObject({ reason: 'no-muster' })
    await expect(stat(file)).rejects.toMatchObject({ code: 'ENOENT' })
  })

  it('leaves no file if it is interrupted', async () => {
    const file = join(folder, 'interrupted.backup')
    const controller = new AbortController()
    const onProgress = () => controller.abort()
    await expect(writeBackup({ pool: source.pool, file, signal: controller.signal, onProgress })).rejects.toMatchObject(
      {
        name: 'AbortError',
      },
    )
    expect((await readdir(folder)).filter((name) => name.startsWith('interrupted'))).toEqual([])
  })
})

describe('a restored backup', () => {
  it('contains the data of one moment during writes, and a server can use it', async () => {
    const database = await emptyDatabase()
    await restore(database, during)
    const server = await serve(database)
    const now = await ask(server.url, everything)
    const { count } = now.login.devices.items.find(({ id }) => id === counted)!.attributes
    for (const { attributes, inNight } of now.login.devices.items) {
      delete attributes.count
      delete inNight.count
    }
    expect(now).toEqual(expected)

    const { login } = await ask(server.url, '{ login { events(size: 1000) { items { type target { id } } } } }')
    const changes = login.events.items.filter(
      ({ type, target }) => type === 'ATTRIBUTE_CHANGE' && target.some(({ id }) => id === counted),
    )
    expect(count).toBe(String(changes.length))
    const { rows } = await database.pool.query('select account.name = webhook.name as same from account, webhook')
    expect(rows).toEqual([{ same: true }])

    const browser = openBrowser(server)
    for (const [name, value] of cookies) browser.cookies.set(name, value)
    expect((await browser.query('{ login { email } }')).body).toEqual({ data: { login: { email: 'owner@localhost' } } })
    await ask(server.url, 'mutation { registerDevice(name: "new") { device { id } } }')
    const [latest, former] = (
      await database.pool.query<{ id: string }>(`select id::text from event order by event.id desc limit 2`)
    ).rows
    expect(BigInt(latest!.id) - BigInt(former!.id)).toBeGreaterThanOrEqual(1_000_000_000n)
  })

  it('contains every row of the tables in a backup, even if the tables already existed', async () => {
    const database = await newDatabase('migrated', onTestFinished)
    // A cluster has no triggers that count devices.
    await database.pool.query('drop function count_devices cascade')
    const restored = await restore(database, after)
    expect(restored.rows).toMatchObject({ account: 1, device: 2, session: 1, webhook: 1, registration_code: 1 })
    expect(restored.migrations).toEqual([])
    expect(await rowsOf(database)).toEqual(await rowsOf(source))
    const { rows } = await database.pool.query('select sum(devices)::int as devices from device_count')
    expect(rows).toEqual([{ devices: 2 }])
    await expect(restore(database, after)).rejects.toMatchObject({ reason: 'not-empty' })
    expect(await rowsOf(database)).toEqual(await rowsOf(source))
  })

  it('is migrated to this release if an older release wrote the backup', async () => {
    const [older, database] = [await emptyDatabase(), await emptyDatabase()]
    await migrateTo(older.db, '0009_feed')
    await older.pool.query(`insert into account (id, email) values ('old', 'old@example.com')`)
    const file = join(folder, 'older.backup')
    await writeBackup({ pool: older.pool, file })
    const migrated = await newDatabase('migrated', onTestFinished)
    await expect(restore(migrated, file)).rejects.toMatchObject({ reason: 'other-schema' })
    const names = await migrationNames()
    expect((await restore(database, file)).migrations).toEqual(names.slice(names.indexOf('0009_feed') + 1))
    const { rows } = await database.pool.query('select email, totp_enabled from account')
    expect(rows).toEqual([{ email: 'old@example.com', totp_enabled: false }])
  })
})

describe('restoring a backup', () => {
  /** Changes the content of a backup and updates its checksum. */
  async function forge(name: string, change: (text: string) => string): Promise<string> {
    const lines = change(zstdDecompressSync(await readFile(after)).toString('utf8'))
      .trimEnd()
      .split('\n')
    const { rows } = JSON.parse(lines.pop()!)
    const text = `${lines.join('\n')}\n`
    const sha256 = createHash('sha256').update(text).digest('hex')
    const file = join(folder, name)
    await writeFile(file, zstdCompressSync(Buffer.from(`${text}${JSON.stringify({ rows, sha256 })}\n`)))
    return file
  }

  it('changes nothing if the file is truncated or altered', async () => {
    const database = await emptyDatabase()
    const whole = await readFile(after)
    // Cut off several bytes, because the last bytes of a compressed file may contain no data.
    const cut = [0, 1, 20, whole.length / 2, whole.length - 20].map((length) => whole.subarray(0, length))
    const text = zstdDecompressSync(whole)
    const altered = [text.length / 3, text.length / 2, text.length - 10].map((position) => {
      const bytes = Buffer.from(text)
      bytes[Math.trunc(position)]! ^= 1
      return zstdCompressSync(bytes)
    })
    const others = [
      zstdCompressSync(Buffer.concat([text, Buffer.from('{}\n')])),
      zstdCompressSync(Buffer.from(text.toString('latin1').replace('counted', 'changed'), 'latin1')),
      zstdCompressSync(Buffer.from(text.toString('latin1').replace('"format":1,', ''), 'latin1')),
      zstdCompressSync(text.subarray(0, text.lastIndexOf('\n', text.length - 2) + 1)),
      Buffer.from('name,hardwareId\n'),
      randomBytes(1_000),
    ]
    const file = join(folder, 'damaged.backup')
    for (const [index, bytes] of [...cut, ...altered, ...others].entries()) {
      await writeFile(file, bytes)
      const error = await restore(database, file).catch((thrown: unknown) => thrown)
      expect(error, `file ${index}`).toMatchObject({ reason: 'damaged' })
    }
    expect(await tablesOf(database)).toBe(0)
  })

  it('changes nothing if the database rejects a row, or if a row is missing', async () => {
    const database = await emptyDatabase()
    const twice = await forge('twice.backup', (text) => text.replace(/^(.*\tcounted\t.*\n)/m, '$1$1'))
    await expect(restore(database, twice)).rejects.toMatchObject({ code: '23505' })
    const fewer = await forge('fewer.backup', (text) => text.replace(/^.*\tATTRIBUTE_CHANGE\t.*\n/m, ''))
    await expect(restore(database, fewer)).rejects.toMatchObject({ reason: 'damaged' })
    expect((await restore(database, after)).rows.device).toBe(2)
    expect(await rowsOf(database)).toEqual(await rowsOf(source))
  })

  it('rejects a file from a newer release', async () => {
    const database = await emptyDatabase()
    const format = await forge('format.backup', (text) => text.replace('"format":1', '"format":2'))
    await expect(restore(database, format)).rejects.toMatchObject({ reason: 'newer' })
    const schema = await forge('schema.backup', (text) => text.replace('0009_feed', '0009_food'))
    await expect(restore(database, schema)).rejects.toMatchObject({ reason: 'newer' })
    expect(await tablesOf(database)).toBe(0)
  })

  it('rejects a file whose secrets are encrypted with another master key, unless withoutKey is set', async () => {
    const database = await emptyDatabase()
    const none = readConfig({ MUSTER_DATA: join(folder, 'none') })
    await expect(restore(database, after, { config: none })).rejects.toMatchObject({
      reason: 'other-key',
      message: expect.stringContaining('not available'),
    })
    const other = readConfig({ MUSTER_MASTER_KEY: randomBytes(32).toString('base64') })
    await expect(restore(database, after, { config: other })).rejects.toMatchObject({ reason: 'other-key' })
    expect(await tablesOf(database)).toBe(0)
    expect((await restore(database, after, { config: other, withoutKey: true })).rows.device).toBe(2)
  })
})
