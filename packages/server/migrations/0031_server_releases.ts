import { type Kysely, sql } from 'kysely'
import type { Step } from '../src/db/migration.ts'

/** Records the release of each running server. Servers of the previous release record none. */
export const steps: readonly Step[] = [
  {
    change: 'releases of running servers',
    async run(db: Kysely<unknown>) {
      await sql`alter table server_process add column release text collate "C"`.execute(db)
      await sql`comment on column server_process.release is
        'The release of the server. Null for a server of a release that did not record it'`.execute(db)
    },
  },
]
