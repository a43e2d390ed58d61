import { randomBytes } from 'node:crypto'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { createKeyring, createSecrets } from '@muster/server/auth/secrets.ts'
import { readConfig } from '@muster/server/config.ts'
import { setUp } from '@muster/server/start/set-up.ts'
import { sql } from 'kysely'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { newPerson, openBrowser, signIn } from '../../../server/test/clients/browser.ts'
import { codeOf } from '../../../server/test/clients/totp.ts'
import { createTestDatabase, type TestDatabase } from '../../../server/test/database/test-database.ts'
import { readCredentials, sendAs, startServerProcess } from '../../../server/test/harness/server-process.ts'
import { type Receiver, startReceiver, verifyMessage } from '../../../server/test/harness/webhook-receiver.ts'
import { muster, startMuster, temporaryFolder } from '../harness/muster.ts'

let database: TestDatabase
let receiver: Receiver
beforeAll(async () => {
  database = await createTestDatabase()
  receiver = await startReceiver()
})
afterAll(async () => {
  await receiver.close()
  await database.drop()
})

const keyIn = async (folder: string, name: string): Promise<Buffer> =>
  Buffer.from(await readFile(join(folder, name), 'utf8'), 'base64')

async function storedSecrets({ db }: TestDatabase) {
  const keys = await db.selectFrom('access_key').select(['account_id', 'key', 'encrypted_secret']).execute()
  const webhooks = await db
    .selectFrom('webhook')
    .select(['account_id', 'id', 'encrypted_secret', 'former_secret'])
    .execute()
  return [
    ...keys.map((row) => ({ owner: { accountId: row.account_id, key: row.key }, encrypted: row.encrypted_secret })),
    ...webhooks.flatMap(({ account_id, id, ...row }) =>
      [row.encrypted_secret, row.former_secret].map((encrypted) => ({
        owner: { accountId: account_id, key: `webhook ${id}` },
        encrypted,
      })),
    ),
  ].flatMap(({ owner, encrypted }) => (encrypted === null ? [] : [{ owner, encrypted }]))
}

async function opensAll(masterKey: Buffer): Promise<boolean[]> {
  const secrets = createSecrets(masterKey)
  return (await storedSecrets(database)).map(({ owner, encrypted }) => {
    try {
      return secrets.decrypt(owner, encrypted).length > 0
    } catch {
      return false
    }
  })
}

async function waitForRow(query: ReturnType<typeof sql>): Promise<void> {
  while ((await query.execute(database.db)).rows.length === 0) await new Promise((resolve) => setTimeout(resolve, 20))
}

it('resumes a killed rotation while the server runs, and keeps all secrets working', async () => {
  const { path: folder } = await temporaryFolder()
  const env = { DATABASE_URL: database.url, MUSTER_DATA: folder, MUSTER_WEBHOOK_ALLOW: '127.0.0.0/8' }
  const server = await startServerProcess(env)
  const owner = await readCredentials(folder)
  const ask = async (query: string, by = owner) => {
    const { body } = await sendAs(by, server.url, query)
    expect(body.errors).toBeUndefined()
    return body.data
  }
  const { createWebhook } = await ask(`mutation { createWebhook(url: "${receiver.url}") { id secret } }`)
  const rotated = await ask(`mutation { rotateWebhookSecret(id: "${createWebhook.id}", overlap: 3600) { secret } }`)
  const signsWebhooks = async () => {
    const { testWebhook } = await ask(`mutation { testWebhook(id: "${createWebhook.id}") { id } }`)
    const [message] = await receiver.waitFor(1, ({ id }) => id === testWebhook.id)
    for (const { secret } of [createWebhook, rotated.rotateWebhookSecret]) verifyMessage(secret, message!)
  }
  const person = await newPerson(database)
  const browser = await signIn({ url: server.url }, person)
  const { totpURI } = (await browser.auth('/two-factor/enable', { password: person.password })).body
  await browser.auth('/two-factor/verify-totp', { code: codeOf(totpURI) })
  const former = await keyIn(folder, 'master.key')
  expect(new Set(await opensAll(former))).toEqual(new Set([true]))

  // Lock the access keys, so that the test can kill the command before the command re-encrypts their secrets.
  const held = await database.db.startTransaction().execute()
  await sql`select from access_key for update`.execute(held)
  const cut = startMuster(['keys', 'rotate-master'], { env })
  await waitForRow(sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
    and query like 'update access_key as present%'`)
  cut.child.kill('SIGKILL')
  await cut.done
  await held.rollback().execute()
  await waitForRow(sql`select where not exists (select from pg_locks where locktype = 'advisory' and database =
    (select oid from pg_database where datname = current_database()) and objid::bigint =
    (hashtext('muster master key rotation')::bigint & 4294967295))`)

  const next = await keyIn(folder, 'master.key.next')
  expect(await keyIn(folder, 'master.key')).toEqual(former)
  expect((await stat(join(folder, 'master.key.next'))).mode & 0o777).toBe(0o600)
  expect(await opensAll(former)).toContain(true)
  await signsWebhooks()
  const { createAccessKey } = await ask('mutation { createAccessKey { secret accessKey { key } } }')
  const createdKey = {
    MUSTER_ACCESS_KEY_ID: createAccessKey.accessKey.key,
    MUSTER_SECRET_ACCESS_KEY: createAccessKey.secret,
  }
  expect(await opensAll(next)).toContain(true)
  const start = (settings: Record<string, string>) =>
    setUp({ db: database.db, config: readConfig(settings), url: server.url, log: pino({ level: 'silent' }) })
  await start(env)
  await expect(start({ MUSTER_DATA: folder, MUSTER_MASTER_KEY: next.toString('base64') })).rejects.toThrow(
    /being rotated, and the previous key is not available/,
  )

  const again = await muster(['keys', 'rotate-master', '--json'], { env })
  expect(again).toMatchObject({ code: 0, stderr: '' })
  expect(JSON.parse(again.stdout)).toMatchObject({ damaged: [], key: join(folder, 'master.key') })
  expect(await keyIn(folder, 'master.key')).toEqual(next)
  expect(await keyIn(folder, 'master.key.previous')).toEqual(former)
  expect((await readdir(folder)).filter((name) => name.startsWith('master.key')).sort()).toEqual([
    'master.key',
    'master.key.previous',
  ])
  expect((await stat(join(folder, 'master.key'))).mode & 0o777).toBe(0o600)
  expect(new Set(await opensAll(next))).toEqual(new Set([true]))

  await ask('{ version }')
  await ask('{ version }', createdKey)
  await signsWebhooks()
  const back = openBrowser({ url: server.url })
  await back.auth('/sign-in/email', { email: person.email, password: person.password })
  const later = Date.now() + 30_000
  expect((await back.auth('/two-factor/verify-totp', { code: codeOf(totpURI, later) })).body).toEqual({
    signedIn: true,
  })
  const sent = { MUSTER_DATA: folder, MUSTER_MASTER_KEY: former.toString('base64') }
  await expect(start(sent)).rejects.toThrow(/does not belong to this database/)
})

it('rotates a master key that comes from the settings, in two steps', async () => {
  const own = await createTestDatabase()
  try {
    const { path: folder } = await temporaryFolder()
    const [former, next] = [randomBytes(32).toString('base64'), randomBytes(32).toString('base64')]
    const base = { DATABASE_URL: own.url, MUSTER_DATA: folder }
    const start = (settings: Record<string, string>) =>
      setUp({
        db: own.db,
        config: readConfig({ ...base, ...settings }),
        url: 'http://127.0.0.1:4000',
        log: pino({ level: 'silent' }),
      })
    const before = await start({ MUSTER_MASTER_KEY: former })
    const both = { MUSTER_MASTER_KEY: next, MUSTER_MASTER_KEY_PREVIOUS: former }
    expect((await start(both)).secrets.checkValue).toBe(before.secrets.checkValue)
    await expect(start({ MUSTER_MASTER_KEY: next })).rejects.toThrow(/does not belong to this database/)

    const alone = await muster(['keys', 'rotate-master'], { env: { ...base, MUSTER_MASTER_KEY: former } })
    expect(alone).toMatchObject({ code: 1, stderr: expect.stringContaining('MUSTER_MASTER_KEY_PREVIOUS') })
    const done = await muster(['keys', 'rotate-master', '--json'], { env: { ...base, ...both } })
    expect(JSON.parse(done.stdout)).toEqual({
      count: 1,
      damaged: [],
      key: 'MUSTER_MASTER_KEY',
      former: 'MUSTER_MASTER_KEY_PREVIOUS',
    })
    const after = await start({ MUSTER_MASTER_KEY: next })
    expect(after.secrets.checkValue).toBe(createKeyring(() => [Buffer.from(next, 'base64')]).checkValue)
    await expect(start({ MUSTER_MASTER_KEY: former })).rejects.toThrow(/does not belong to this database/)
    expect((await readdir(folder)).filter((name) => name.startsWith('master.key'))).toEqual([])
  } finally {
    await own.drop()
  }
})
