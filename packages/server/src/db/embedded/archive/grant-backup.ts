import pg from 'pg'
import { database, grantBackup } from '../cluster/cluster-folder.ts'
import type { EmbeddedConnection } from '../connection.ts'
import { EmbeddedError } from '../embedded-error.ts'
import type { Launch } from '../postgres.ts'
import { runCommand } from '../run-command.ts'
import { settingArguments } from '../settings.ts'

/** Returns false for a database that an older release created without the grants for base backups. */
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
 * Lets Muster's database role take base backups. PostgreSQL must be stopped: the superuser cannot connect, so
 * the GRANT statement runs in single-user mode.
 */
export async function grantBackupFunctions(launch: Launch): Promise<void> {
  const { binaries, runMode, clusterFolder, lockFd, settings } = launch
  const command = [...runMode.prefix, binaries.postgres, '--single', '-D', clusterFolder]
  // Pass the settings, because without archive_mode, PostgreSQL would recycle WAL that is not archived yet.
  const args = [...settingArguments({ ...settings, exit_on_error: 'on' }), database]
  const options = { cwd: clusterFolder, env: binaries.env, lockFd, input: `${grantBackup}\n` }
  const { code, output, failure } = await runCommand([...command, ...args], options)
  if (code === 0) return
  throw new EmbeddedError(
    'start-failed',
    `Muster's database role in ${clusterFolder} could not be granted the right to take base backups. postgres reported:\n${failure?.message ?? output}`,
  )
}
