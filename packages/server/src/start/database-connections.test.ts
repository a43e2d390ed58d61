import { expect, test } from 'vitest'
import { sharedTestApp } from '../../test/harness/app.ts'
import { readConfig } from '../config.ts'
import { warnOfConnections } from './database-connections.ts'

const app = sharedTestApp()

test.each([
  [{}, 'MUSTER_WORKERS or MUSTER_DATABASE_CONNECTIONS'],
  [{ DATABASE_DIRECT_URL: 'postgres://127.0.0.1/muster' }, 'MUSTER_WORKERS'],
])('suggests lowering only settings that reduce the connections to the database itself: %j', async (env, settings) => {
  const warnings: string[] = []
  const log = { warn: (_details: object, message: string) => void warnings.push(message) }
  await warnOfConnections(app.db, readConfig({ MUSTER_WORKERS: '128', ...env }), log)
  expect(warnings).toEqual([expect.stringMatching(new RegExp(`or lower ${settings}$`))])
})
