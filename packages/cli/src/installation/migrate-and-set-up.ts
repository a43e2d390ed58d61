import type { Secrets } from '@muster/server/auth/secrets.ts'
import { migrate } from '@muster/server/db/migrate.ts'
import { credentialsPath } from '@muster/server/start/credentials-file.ts'
import { localUrl } from '@muster/server/start/greeting.ts'
import { setUp } from '@muster/server/start/set-up.ts'
import { readCredentials } from '../credentials/credentials.ts'
import { type DatabaseOptions, type LocalDatabase, withDatabase } from './open-database.ts'

export interface Installation extends LocalDatabase {
  secrets: Secrets
  url: string
}

/**
 * Migrates the database, and then runs `work`. If the database was empty, also creates the owner and the credentials
 * file, as the server does.
 */
export function withInstallation<Result>(
  work: (installation: Installation) => Promise<Result>,
  options?: DatabaseOptions,
): Promise<Result> {
  return withDatabase(async (local) => {
    const { db, config, log } = local
    await migrate(db, { log })
    const url = config.publicUrl ?? (await writtenUrl(config.dataFolder)) ?? localUrl(config)
    const { secrets } = await setUp({ db, config, url, log })
    return work({ ...local, secrets, url })
  }, options)
}

/**
 * Returns the URL that the server wrote to its credentials file, if any. The environment of a command might not contain
 * the server's settings.
 */
async function writtenUrl(dataFolder: string): Promise<string | undefined> {
  const path = credentialsPath(dataFolder)
  try {
    return (await readCredentials({ credentials: path, profile: 'default' }, {})).url
  } catch {
    return undefined
  }
}
