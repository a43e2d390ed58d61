import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findBinaries } from '../binaries.ts'
import { clusterFolderOf, findCluster } from '../cluster/cluster-folder.ts'
import { findRunMode } from '../privileges.ts'
import { runCommand } from '../run-command.ts'
import { newDataFolder, newFolder, query, start } from '../test-bench.ts'

const granted = `select has_function_privilege('pg_backup_start(text, boolean)', 'execute') as granted`

test("grants the rights for base backups in an older release's database when archiving is first enabled", async () => {
  const folder = await newDataFolder()
  const clusterFolder = clusterFolderOf(folder)
  const { owner } = (await findCluster(clusterFolder))!
  const binaries = await findBinaries(folder)
  const runMode = await findRunMode({ binaries, folder: clusterFolder, owner, isNew: false })
  const single = [...runMode.prefix, binaries.postgres, '--single', '-D', clusterFolder, 'muster']
  const input = 'REVOKE EXECUTE ON FUNCTION pg_backup_start(text, boolean), pg_backup_stop(boolean) FROM muster;\n'
  expect(await runCommand(single, { cwd: folder, env: binaries.env, input })).toMatchObject({ code: 0 })

  const plain = await start(folder)
  expect(await query(plain.connection, granted)).toEqual([{ granted: false }])
  await plain.stop()
  const archived = await start(folder, {}, join(await newFolder(), 'archive'))
  expect(await query(archived.connection, granted)).toEqual([{ granted: true }])
})
