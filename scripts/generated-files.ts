import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDatabase } from '../packages/server/src/db/database.ts'
import { startEmbedded } from '../packages/server/src/db/embedded/embedded.ts'
import { migrate } from '../packages/server/src/db/migrate.ts'
import { createPool } from '../packages/server/src/db/pool/create-pool.ts'
import { generateCliReference } from './generate-cli-reference.ts'
import { generateClientTypes } from './generate-client-types.ts'
import { generateConsoleTypes } from './generate-console-types.ts'
import { generateLockUrls } from './generate-lock-urls.ts'
import { generateReference } from './generate-reference.ts'
import { generateResolverTypes } from './generate-resolver-types.ts'
import { generateSchemaReference } from './generate-schema-reference.ts'
import { generateSdl } from './generate-sdl.ts'
import { generateTableTypes } from './generate-table-types.ts'

export async function generatedFiles(): Promise<Map<string, string>> {
  const schema = generateSdl()
  return new Map([
    ['packages/server/src/resolvers.generated.ts', await generateResolverTypes()],
    ['packages/server/src/db/tables.generated.ts', await tableTypes()],
    ['schema.graphql', schema],
    ...generateClientTypes(schema),
    ...(await generateConsoleTypes(schema)),
    ...generateReference(),
    ...generateSchemaReference(schema),
    await generateCliReference(),
    generateLockUrls(),
  ])
}

async function tableTypes(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'muster-generate-'))
  const log = { info() {}, warn: console.warn, error: console.error }
  const database = await startEmbedded({ dataFolder: folder, log, onExit: console.error })
  const db = createDatabase(createPool({ connection: database.connection, size: 2, statementTimeout: 0 }))
  try {
    await migrate(db)
    return await generateTableTypes(db)
  } finally {
    await db.destroy()
    await database.stop()
    await rm(folder, { recursive: true, force: true })
  }
}
