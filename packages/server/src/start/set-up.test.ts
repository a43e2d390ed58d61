import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database/test-database.ts'
import { readConfig } from '../config.ts'
import { updateAccessKey } from '../features/access-keys/access-keys.ts'
import { StartError } from '../start-error.ts'
import { stageCredentials, updateUrl } from './credentials-file.ts'
import { type SetUp, setUp } from './set-up.ts'

const log = pino({ level: 'silent' })

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'muster-set-up-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

async function newDatabase(): Promise<TestDatabase> {
  const database = await createTestDatabase()
  onTestFinished(() => database.drop())
  return database
}

const start = ({ db }: TestDatabase, folder: string, env: Record<string, string> = {}): Promise<SetUp> =>
  setUp({ db, config: readConfig({ MUSTER_DATA: folder, ...env }), url: 'http://127.0.0.1:4000', log })

const read = (folder: string, name: string): Promise<string> => readFile(join(folder, name), 'utf8')

const accessKeys = async ({ db }: TestDatabase): Promise<string[]> =>
  (await db.selectFrom('access_key').select('key').execute()).map(({ key }) => key)

describe('the set-up of a server', () => {
  it('creates one owner when several servers start at the same time', async () => {
    const [database, folder] = [await newDatabase(), await newFolder()]
    const starts = await Promise.all(Array.from({ length: 6 }, () => start(database, folder)))
    expect(starts.filter(({ isFirstStart }) => isFirstStart)).toHaveLength(1)
    expect(new Set(starts.map(({ secrets }) => secrets.checkValue)).size).toBe(1)
    const [key, ...others] = await accessKeys(database)
    expect(others).toEqual([])
    expect(await read(folder, 'credentials')).toContain(`MUSTER_ACCESS_KEY_ID=${key}\n`)
    expect((await readdir(folder)).sort()).toEqual(['credentials', 'master.key'])
  })

  it('is completed by the next start after a crash between the commit and the rename of the credentials', async () => {
    const [database, folder] = [await newDatabase(), await newFolder()]
    await start(database, folder)
    const written = await read(folder, 'credentials')
    await rename(join(folder, 'credentials'), join(folder, 'credentials.new'))
    expect((await start(database, folder)).isFirstStart).toBe(false)
    expect(await read(folder, 'credentials')).toBe(written)
  })

  it('is completed after a crash even if the access key has been restricted in the meantime', async () => {
    const [database, folder] = [await newDatabase(), await newFolder()]
    await start(database, folder)
    const written = await read(folder, 'credentials')
    await rename(join(folder, 'credentials'), join(folder, 'credentials.new'))
    const { account_id, key } = await database.db
      .selectFrom('access_key')
      .select(['account_id', 'key'])
      .executeTakeFirstOrThrow()
    const viewer = { accountId: account_id, email: 'owner@localhost', readOnly: false }
    await updateAccessKey({ db: database.db, viewer }, key, { access: { permissions: ['DEVICE_READ'] } })
    await start(database, folder)
    expect(await read(folder, 'credentials')).toBe(written)
  })

  it('deletes credentials that were written for an owner who was never committed', async () => {
    const [database, folder] = [await newDatabase(), await newFolder()]
    await start(database, folder)
    const written = await read(folder, 'credentials')
    const staged = { url: '', accessKeyId: 'MKNEVERCOMMITTED', secretAccessKey: '', email: '', password: '' }
    await stageCredentials(folder, staged)
    await start(database, folder)
    expect(await read(folder, 'credentials')).toBe(written)
    expect((await readdir(folder)).sort()).toEqual(['credentials', 'master.key'])
  })

  it('renames existing credentials that belong to another database', async () => {
    const folder = await newFolder()
    await start(await newDatabase(), folder)
    const first = await read(folder, 'credentials')
    await start(await newDatabase(), folder)
    const kept = (await readdir(folder)).find((name) => name.startsWith('credentials-until-'))
    expect(await read(folder, kept ?? '')).toBe(first)
    expect(await read(folder, 'credentials')).not.toBe(first)
  })
})

describe('the master key', () => {
  it('is not written to a file if the settings contain it', async () => {
    const [database, folder] = [await newDatabase(), await newFolder()]
    const env = { MUSTER_MASTER_KEY: randomBytes(32).toString('base64') }
    await start(database, folder, env)
    expect(await readdir(folder)).toEqual(['credentials'])
    await start(database, await newFolder(), env)
  })

  it('if missing, wrong, or damaged, prevents the start with an existing database', async () => {
    const [database, folder] = [await newDatabase(), await newFolder()]
    await start(database, folder)
    const other = await newFolder()
    await expect(start(database, other)).rejects.toThrow(/already has a master key/)
    expect(await readdir(other)).toEqual([])
    await expect(start(database, folder, { MUSTER_MASTER_KEY: randomBytes(32).toString('base64') })).rejects.toThrow(
      /^The master key in MUSTER_MASTER_KEY does not belong to this database/,
    )
    await writeFile(join(folder, 'master.key'), 'AAAA\n')
    await expect(start(database, folder)).rejects.toThrow(/does not contain 32 bytes in base64/)
  })

  it('is identified in the error by its file or setting if it does not belong to the database', async () => {
    const [database, folder] = [await newDatabase(), await newFolder()]
    await start(database, await newFolder())
    const MUSTER_MASTER_KEY_PREVIOUS = randomBytes(32).toString('base64')
    await expect(start(database, folder, { MUSTER_MASTER_KEY_PREVIOUS })).rejects.toThrow(
      'The master key in MUSTER_MASTER_KEY_PREVIOUS does not belong to this database.',
    )
    const [next, previous] = [join(folder, 'master.key.next'), join(folder, 'master.key.previous')]
    for (const file of [next, previous]) {
      await writeFile(file, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600 })
      const files = file === next ? `key in ${next} does` : `keys in ${next} and ${previous} do`
      await expect(start(database, folder)).rejects.toThrow(`The master ${files} not belong to this database.`)
    }
  })
})

it('commits nothing if the data folder is not writable, and does not start', async () => {
  const [database, folder] = [await newDatabase(), await newFolder()]
  await writeFile(join(folder, 'file'), '')
  const outcome = await start(database, join(folder, 'file', 'data')).catch((error: unknown) => error)
  expect(outcome).toBeInstanceOf(StartError)
  expect((outcome as Error).message).toContain('MUSTER_DATA')
  expect(await accessKeys(database)).toEqual([])
})

describe('the URL in the credentials file', () => {
  it.each([
    ['http://127.0.0.1:4000', 'http://127.0.0.1:5000'],
    ['http://localhost:4000', 'http://127.0.0.1:5000'],
    ['http://[::1]:4000', 'http://127.0.0.1:5000'],
    ['https://127.0.0.1:4000', 'http://127.0.0.1:5000'],
    ['https://muster.example.com', 'https://muster.example.com'],
    ['http://192.0.2.1:4000', 'http://192.0.2.1:4000'],
  ])('changes only if it is a loopback URL: from %s to %s', async (before, after) => {
    const folder = await newFolder()
    await writeFile(join(folder, 'credentials'), `[default]\nMUSTER_URL=${before}\nMUSTER_EMAIL=a@b\n`)
    await updateUrl(folder, 'http://127.0.0.1:5000')
    expect(await read(folder, 'credentials')).toBe(`[default]\nMUSTER_URL=${after}\nMUSTER_EMAIL=a@b\n`)
  })

  it('is updated only in the section that the first start wrote', async () => {
    const folder = await newFolder()
    const file = (url: string) =>
      `; mine\n[staging]\nMUSTER_URL=http://127.0.0.1:4100\n\n[ default ]\r\nMUSTER_URL = ${url}\r\n[laptop]\nMUSTER_URL=http://localhost:4200\n`
    await writeFile(join(folder, 'credentials'), file('http://127.0.0.1:4000'))
    await updateUrl(folder, 'https://muster.example.com')
    expect(await read(folder, 'credentials')).toBe(file('https://muster.example.com'))
  })
})
