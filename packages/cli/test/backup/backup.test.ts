import { chown, mkdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { query } from '@muster/server/db/database.ts'
import { expect, it, onTestFinished } from 'vitest'
import { createDataFolder } from '../../../server/test/database/data-folder.ts'
import { createTestDatabase } from '../../../server/test/database/test-database.ts'
import { startServerProcess } from '../../../server/test/harness/server-process.ts'
import { databaseUrl, muster, temporaryFolder } from '../harness/muster.ts'
import { ownerEvents } from '../operator/owner-events.ts'

it('backs up the embedded database, and restores it into an empty database with its master key', async () => {
  const { path } = await temporaryFolder()
  const embedded = { MUSTER_DATA: join(path, 'data') }
  await createDataFolder(embedded.MUSTER_DATA)
  await muster(['seed', '--devices', '40', '--services', '1', '--json'], { env: embedded })
  const folder = join(path, 'folder')
  await mkdir(folder)
  const self = process.getuid?.() ?? 0
  if (self === 0) await chown(folder, 1000, 1000)
  const file = join(folder, 'night.backup')
  const taken = await muster(['backup', file, '--json'], { env: embedded })
  expect({ code: taken.code, stderr: taken.stderr }).toEqual({ code: 0, stderr: '' })
  const { bytes, rows, created } = JSON.parse(taken.stdout)
  expect(rows).toMatchObject({ account: 1, device: 40, service: 40 })
  const written = await stat(file)
  expect([bytes, self]).toEqual([written.size, written.uid])

  const database = await createTestDatabase()
  onTestFinished(() => database.drop())
  const env = { DATABASE_URL: databaseUrl(database.connection), MUSTER_DATA: join(path, 'elsewhere') }
  const keyless = await muster(['restore', file, '--json'], { env })
  expect(keyless.code).toBe(7)
  expect(JSON.parse(keyless.stderr)).toMatchObject({
    error: { message: expect.stringContaining('master key'), hint: expect.stringContaining('--without-key') },
  })
  const withKey = { ...env, MUSTER_DATA: embedded.MUSTER_DATA }
  const restored = await muster(['restore', file], { env: withKey })
  expect({ code: restored.code, stderr: restored.stderr }).toEqual({ code: 0, stderr: '' })
  expect(restored.stdout).toContain(`${file}: `)

  const name = 'night.backup'
  const backup = { type: 'BACKUP_CREATE', data: { kind: 'file', name, created, bytes, scheduled: false } }
  expect(await ownerEvents(embedded.MUSTER_DATA, await startServerProcess(embedded))).toEqual([backup])
  // The backup does not contain its own event, because the event is recorded after the backup is complete.
  expect(await ownerEvents(embedded.MUSTER_DATA, await startServerProcess(withKey))).toEqual([
    { type: 'BACKUP_RESTORE', data: { kind: 'file', name, created } },
  ])
})

it('backs up a database that accepts no writes, and warns that it could not record an event', async () => {
  const { path } = await temporaryFolder()
  const database = await createTestDatabase()
  onTestFinished(() => database.drop())
  const url = databaseUrl(database.connection)
  const env = { DATABASE_URL: url, MUSTER_DATA: join(path, 'data') }
  await muster(['users', 'add', 'ada@example.com'], { env })
  await query(
    database.db,
    `alter database "${new URL(url).pathname.slice(1)}" set default_transaction_read_only = on`,
    [],
  )
  const file = join(path, 'night.backup')
  const { code, stderr } = await muster(['backup', file], { env })
  expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('could not be recorded') })
  expect((await stat(file)).size).toBeGreaterThan(0)
})

it('rejects files that are not backups', async () => {
  const { path, write } = await temporaryFolder()
  const file = await write('other', 'something else')
  const database = await createTestDatabase()
  onTestFinished(() => database.drop())
  const env = { DATABASE_URL: databaseUrl(database.connection), MUSTER_DATA: join(path, 'data') }
  expect(await muster(['restore', file], { env })).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('is damaged or is not a backup'),
  })
})

it('requires an archive and the embedded database for point-in-time recovery', async () => {
  const { path } = await temporaryFolder()
  const env = { MUSTER_DATA: join(path, 'data'), MUSTER_ARCHIVE_DIR: '' }
  const unset = await muster(['backup', '--base'], { env })
  expect(unset).toMatchObject({ code: 2, stderr: expect.stringContaining('MUSTER_ARCHIVE_DIR is not set') })
  const external = await muster(['restore', '--to', 'latest'], {
    env: { ...env, DATABASE_URL: 'postgresql://localhost/nowhere' },
  })
  expect(external).toMatchObject({ code: 1, stderr: expect.stringContaining('point-in-time-recovery.md') })
  expect((await muster(['backup'], { env })).code).toBe(2)
  expect((await muster(['restore', 'file', '--replace'], { env })).code).toBe(2)
})
