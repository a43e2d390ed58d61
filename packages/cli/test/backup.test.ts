import { chown, mkdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { putCluster } from '../../server/test/cluster.ts'
import { createTestDatabase } from '../../server/test/database.ts'
import { databaseUrl, muster, temporaryFolder } from './muster.ts'

it('backs up the embedded database, and restores it into an empty database with its key', async () => {
  const { path } = await temporaryFolder()
  const embedded = { MUSTER_DATA: join(path, 'data') }
  await putCluster(embedded.MUSTER_DATA)
  await muster(['seed', '--devices', '40', '--services', '1', '--json'], { env: embedded })
  const kept = join(path, 'kept')
  await mkdir(kept)
  const self = process.getuid?.() ?? 0
  if (self === 0) await chown(kept, 1000, 1000)
  const file = join(kept, 'night.backup')
  const taken = await muster(['backup', file, '--json'], { env: embedded })
  expect({ code: taken.code, stderr: taken.stderr }).toEqual({ code: 0, stderr: '' })
  const { bytes, rows } = JSON.parse(taken.stdout)
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
    stderr: expect.stringContaining('no whole backup'),
  })
})
