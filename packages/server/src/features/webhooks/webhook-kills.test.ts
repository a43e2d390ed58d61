import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, inject, it, onTestFinished } from 'vitest'
import { administer, atDatabase } from '../../../test/global-setup.ts'
import { runKills } from '../../../test/webhook-kills.ts'

/** A migrated, empty database, by URL. */
async function newDatabase(): Promise<string> {
  const { connection, template } = inject('testDatabase')
  const name = `muster_kills_${randomUUID().replaceAll('-', '')}`
  await administer(connection, `create database "${name}" template "${template}"`)
  onTestFinished(() => administer(connection, `drop database "${name}" with (force)`))
  const { connectionString, host = '', port, user } = atDatabase(connection, name)
  return connectionString ?? `postgresql:///${name}?host=${encodeURIComponent(host)}&port=${port}&user=${user}`
}

it('delivers every event, whoever is killed meanwhile, to a receiver that fails a third of the time', async () => {
  const databaseUrl = await newDatabase()
  const folder = await mkdtemp(join(tmpdir(), 'muster-kills-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const masterKey = randomBytes(32).toString('base64')
  const report = await runKills({ databaseUrl, folder, masterKey, events: 300, kills: 4, servers: 2 })
  expect(report.logged).toBeGreaterThanOrEqual(300)
  expect(report).toMatchObject({ missing: [], delivered: report.logged, severalIds: 0, changed: 0, forged: 0 })
  expect(report.refused).toBeGreaterThan(0)
})
