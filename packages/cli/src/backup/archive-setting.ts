import { type Config, readConfig } from '@muster/server/config.ts'
import { CliError, usageError } from '../errors/cli-error.ts'

export function readArchive(given?: string): { config: Config; archive: string } {
  const config = readConfig()
  if (config.databaseUrl !== undefined) {
    throw new CliError(
      'Muster supports point-in-time recovery only for the embedded database, but DATABASE_URL is set',
      {
        hint: 'Use the tools of your PostgreSQL server. See docs/guides/point-in-time-recovery.md.',
      },
    )
  }
  const archive = given ?? config.archiveFolder
  if (archive === undefined) {
    throw usageError(
      'MUSTER_ARCHIVE_DIR is not set',
      'Set this variable for the server and for this command. "muster restore --to" also accepts the archive folder with --from. See docs/guides/point-in-time-recovery.md.',
    )
  }
  return { config, archive }
}
