import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createTestDatabase } from '../../../test/database.ts'
import { runKills } from '../../../test/webhook-kills.ts'

// Servers start, and what a killed one holds is held for some seconds more.
const patience = { timeout: 600_000 }

it(
  'delivers every event, whoever is killed meanwhile, to a receiver that fails a third of the time',
  patience,
  async () => {
    const { url: databaseUrl, drop } = await createTestDatabase()
    onTestFinished(drop)
    const folder = await mkdtemp(join(tmpdir(), 'muster-kills-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const masterKey = randomBytes(32).toString('base64')
    const report = await runKills({ databaseUrl, folder, masterKey, events: 300, kills: 3, servers: 2 })
    expect(report.logged).toBeGreaterThanOrEqual(300)
    expect(report).toMatchObject({ missing: [], delivered: report.logged, severalIds: 0, changed: 0, forged: 0 })
    expect(report.refused).toBeGreaterThan(0)
  },
)
