import { type Config, readConfig } from '@muster/server/config.ts'
import { CliError, usageError } from '../cli-error.ts'

/** The archive of the embedded database. `given`: named by an option, in place of MUSTER_ARCHIVE_DIR. */
export function readArchive(given?: string): { config: Config; archive: string } {
  const config = readConfig()
  if (config.databaseUrl !== undefined) {
    throw new CliError('point-in-time recovery by Muster is for the embedded database, and DATABASE_URL is set', {
      hint: 'Use the tools of that PostgreSQL: docs/guides/point-in-time-recovery.md has the steps.',
    })
  }
  const archive = given ?? config.archiveFolder
  if (archive === undefined) {
    throw usageError(
      'MUSTER_ARCHIVE_DIR is not set',
      'Set it for the server and for this command: docs/guides/point-in-time-recovery.md has the steps.',
    )
  }
  return { config, archive }
}
