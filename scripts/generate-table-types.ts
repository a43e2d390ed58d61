import { generate, PostgresDialect } from 'kysely-codegen'
import type { Database } from '../packages/server/src/db/database.ts'

/** TypeScript types of all tables, from a migrated database. */
export async function generateTableTypes(db: Database): Promise<string> {
  return generate({ db, dialect: new PostgresDialect(), excludePattern: 'migration*', outFile: null })
}
