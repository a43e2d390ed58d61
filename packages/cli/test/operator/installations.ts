import { join } from 'node:path'
import { createTestDatabase, type TestDatabase } from '../../../server/test/database/test-database.ts'
import { databaseUrl, temporaryFolder } from '../harness/muster.ts'

export interface Installation {
  env: Record<string, string>
  folder: string
  database: TestDatabase
}

/** `drop` drops the databases of all installations that `create` created. */
export function createInstallations(): { create(): Promise<Installation>; drop(): Promise<void> } {
  const databases: TestDatabase[] = []
  return {
    async create() {
      const database = await createTestDatabase()
      databases.push(database)
      const { path } = await temporaryFolder()
      const env = {
        DATABASE_URL: databaseUrl(database.connection),
        MUSTER_DATA: join(path, 'data'),
        PORT: '0',
        MUSTER_MQTT_PORT: '0',
      }
      return { env, folder: env.MUSTER_DATA, database }
    },
    async drop() {
      for (const database of databases) await database.drop()
    },
  }
}
