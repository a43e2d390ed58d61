import { chown, copyFile, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { pino } from 'pino'
import { expect, it, onTestFinished } from 'vitest'
import { createTestDatabase } from '../../../test/database/test-database.ts'
import { createAccount } from '../../../test/factories/account.ts'
import { readConfig } from '../../config.ts'
import { addAccessKey } from '../../features/access-keys/access-keys.ts'
import { setUp } from '../../start/set-up.ts'
import { SSO_METHOD } from '../sessions/auth-call.ts'
import { insertSession } from '../sessions/sessions.queries.ts'
import { findIdToken, insertSsoSession } from '../sessions/single-sign-on/single-sign-on.queries.ts'
import { rotateMasterKey } from './rotate-master-key.ts'

async function createInstallation() {
  const { db, drop } = await createTestDatabase()
  onTestFinished(drop)
  const folder = await mkdtemp(join(tmpdir(), 'muster-rotation-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const self = process.getuid?.() ?? 0
  // If the test runs as root, the folder belongs to another user, whose server must be able to read the files that root
  // writes.
  const owner = self === 0 ? 1000 : self
  await chown(folder, owner, process.getgid?.() ?? 0)
  const config = readConfig({ MUSTER_DATA: folder })
  const file = (name: string): string => join(folder, name)
  return {
    db,
    owner,
    file,
    start: () => setUp({ db, config, url: 'http://127.0.0.1:4000', log: pino({ level: 'silent' }) }),
    rotate: () => rotateMasterKey({ db, config }),
    keys: async () => {
      const names = (await readdir(folder)).filter((name) => name.startsWith('master.key')).sort()
      const contents = await Promise.all(names.map((name) => readFile(file(name), 'utf8')))
      return Object.fromEntries(names.map((name, index) => [name, contents[index]]))
    },
    owners: async () => {
      const found = await Promise.all((await readdir(folder)).map((name) => stat(file(name))))
      return [...new Set(found.map(({ uid }) => uid))]
    },
  }
}

it('waits for transactions that still encrypt with the previous key', async () => {
  const { db, start, rotate } = await createInstallation()
  const { secrets } = await start()
  const { id, email } = await createAccount(db)
  const viewer = { accountId: id, email, readOnly: false }
  const transaction = await db.startTransaction().execute()
  const accessKey = await addAccessKey({ db: transaction, viewer, secrets, clock: () => new Date() }, {})
  const rotation = rotate()
  const isWaiting = sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
    and query like '%server_setting%for update%'`
  while ((await isWaiting.execute(db)).rows.length === 0) await new Promise((resolve) => setTimeout(resolve, 20))
  await transaction.commit().execute()
  // The rotation re-encrypts the secrets of two access keys: the owner's, which `start` created, and the one that the
  // transaction added.
  expect(await rotation).toMatchObject({ count: 2, damaged: [] })
  const row = await db.selectFrom('access_key').selectAll().where('key', '=', accessKey.key).executeTakeFirstOrThrow()
  const decrypted = (await start()).secrets.all[0]!.decrypt(
    { accountId: id, key: accessKey.key },
    row.encrypted_secret!,
  )
  expect(decrypted.toString('base64')).toBe(accessKey.secret)
})

it('re-encrypts the ID tokens of sessions', async () => {
  const { db, start, rotate } = await createInstallation()
  const { secrets } = await start()
  const { id: personId } = await createAccount(db)
  const session = { personId, id: 'a-session', token: 'a-token', address: '::1', agent: '', method: SSO_METHOD }
  const expires = new Date(Date.now() + 3_600_000)
  await insertSession(db, { ...session, created: new Date(), expires, ends: expires })
  const owner = { accountId: personId, key: `session ${session.id}` }
  const identity = { issuer: 'https://login.example.com', subject: 'ada', sid: null }
  const encryptedIdToken = secrets.encrypt(owner, Buffer.from('an ID token'))
  await insertSsoSession(db, { personId, sessionId: session.id, ...identity, encryptedIdToken })
  expect(await rotate()).toMatchObject({ count: 2, damaged: [] })
  const stored = await findIdToken(db, session)
  expect(stored?.equals(encryptedIdToken)).toBe(false)
  expect((await start()).secrets.all[0]!.decrypt(owner, stored!).toString()).toBe('an ID token')
})

it('finishes replacing the key files after an interruption, without creating another key', async () => {
  const { file, start, rotate, keys, owner, owners } = await createInstallation()
  await start()
  const former = (await keys())['master.key']
  expect(await rotate()).toMatchObject({ count: 1 })
  const after = await keys()
  expect(after).toEqual({ 'master.key': expect.not.stringContaining(String(former)), 'master.key.previous': former })
  expect(await owners()).toEqual([owner])

  await copyFile(file('master.key'), file('master.key.next'))
  expect(await rotate()).toMatchObject({ count: 0 })
  expect(await keys()).toEqual(after)

  await copyFile(file('master.key'), file('master.key.next'))
  await copyFile(file('master.key.previous'), file('master.key'))
  await rm(file('master.key.previous'))
  await start()
  expect(await rotate()).toMatchObject({ count: 0 })
  expect(await keys()).toEqual(after)
  await start()
})

it('reports secrets that it cannot decrypt, and keeps them', async () => {
  const { db, start, rotate } = await createInstallation()
  await start()
  const damaged = Buffer.alloc(61, 1)
  const { key } = await db
    .updateTable('access_key')
    .set({ encrypted_secret: damaged })
    .returning('key')
    .executeTakeFirstOrThrow()
  expect(await rotate()).toMatchObject({ count: 0, damaged: [key] })
  const { encrypted_secret } = await db.selectFrom('access_key').selectAll().executeTakeFirstOrThrow()
  expect(encrypted_secret).toEqual(damaged)
})

it('rejects a rotation while another one is running', async () => {
  const { db, start, rotate, keys } = await createInstallation()
  await start()
  const before = await keys()
  const lock = await db.startTransaction().execute()
  await sql`select pg_advisory_xact_lock(hashtext('muster master key rotation'))`.execute(lock)
  await expect(rotate()).rejects.toThrow(/by another process/)
  await lock.rollback().execute()
  expect(await keys()).toEqual(before)
})
