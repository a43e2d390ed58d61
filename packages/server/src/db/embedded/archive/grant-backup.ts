import pg from 'pg'
import { database, grantBackup } from '../cluster/cluster.ts'
import type { EmbeddedConnection } from '../connection.ts'
import { EmbeddedError } from '../embedded-error.ts'
import type { Launch } from '../postgres.ts'
import { runCommand } from '../run-command.ts'
import { settingArguments } from '../settings.ts'

/**
 * Checks whether the role `muster` can take base backups. A database that an older release created may lack the grants.
 */
export async function mayBackUp(connection: EmbeddedConnection): Promise<boolean> {
  const client = new pg.Client({ ...connection })
  await client.connect()
  try {
    const { rows } = await client.query<{ granted: boolean }>(
      `select has_function_privilege('pg_backup_start(text, boolean)', 'execute')
        and has_function_privilege('pg_backup_stop(boolean)', 'execute') as granted`,
    )
    return rows[0]!.granted
  } finally {
    await client.end()
  }
}

/**
 * Grants the role `muster` the right to take base backups. Uses single-user mode, because the superuser cannot connect.
 * PostgreSQL must therefore be stopped.
 */
export async function grantBackupFunctions({
  binaries,
  runMode,
  clusterFolder,
  lockFd,
  settings,
}: Launch): Promise<void> {
  const command = [...runMode.prefix, binaries.postgres, '--single', '-D', clusterFolder]
  // Without archive_mode, PostgreSQL would recycle WAL that is not archived yet.
  const args = [...settingArguments({ ...settings, exit_on_error: 'on' }), database]
  const options = { cwd: clusterFolder, env: binaries.env, lockFd, input: `${grantBackup}\n` }
  const { code, output, failure } = await runCommand([...command, ...args], options)
  if (code === 0) return
  throw new EmbeddedError(
    'start-failed',
    `The right to take base backups could not be granted in ${clusterFolder}. postgres reported:\n${failure?.message ?? output}`,
  )
}
