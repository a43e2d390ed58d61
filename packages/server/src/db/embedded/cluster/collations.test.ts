import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findBinaries } from '../binaries.ts'
import { findRunMode } from '../privileges.ts'
import { runCommand } from '../run-command.ts'
import { newDataFolder, query, start } from '../test-bench.ts'
import { findCluster } from './cluster-folder.ts'

/** Runs a statement in single-user mode, because the superuser cannot connect. */
async function asSuperuser(dataFolder: string, statement: string): Promise<void> {
  const folder = join(dataFolder, 'pg')
  const binaries = await findBinaries(dataFolder)
  const runMode = await findRunMode({ binaries, folder, owner: (await findCluster(folder))!.owner, isNew: false })
  const command = [...runMode.prefix, binaries.postgres, '--single', '-D', folder, '-c', 'exit_on_error=on', 'muster']
  const { code, output } = await runCommand(command, { env: binaries.env, input: `${statement}\n` })
  if (code !== 0) throw new Error(output)
}

const versions = `SELECT collname, collversion = pg_collation_actual_version(oid) AS current FROM pg_collation
  WHERE collname IN ('natural', 'und-x-icu') ORDER BY collname COLLATE "C"`

test('rebuilds the indexes and refreshes the collations once after an ICU update', async () => {
  const folder = await newDataFolder()
  const first = await start(folder)
  await query(
    first.connection,
    `CREATE COLLATION "natural" (provider = icu, locale = 'und-u-kn-true-ks-level2', deterministic = false)`,
    'CREATE TABLE named (name text COLLATE "C")',
    'CREATE INDEX by_name ON named ((name COLLATE "natural"))',
    `INSERT INTO named VALUES ('a10'), ('A9')`,
  )
  const files = `SELECT pg_relation_filenode('by_name') AS file`
  const before = await query(first.connection, files)
  await first.stop()
  await asSuperuser(folder, `UPDATE pg_collation SET collversion = '1.0' WHERE collname IN ('natural', 'und-x-icu')`)

  const second = await start(folder)
  expect(second.messages.join('\n')).toMatch(/sort order of strings may have changed/)
  expect(await query(second.connection, versions)).toEqual([
    { collname: 'natural', current: true },
    { collname: 'und-x-icu', current: true },
  ])
  const after = await query(second.connection, files)
  expect(after).not.toEqual(before)
  await second.stop()

  const third = await start(folder)
  expect(third.messages.join('\n')).not.toMatch(/sort order of strings/)
  expect(await query(third.connection, files)).toEqual(after)
})
