import { sql } from 'kysely'
import type { TestApp } from '../harness/app.ts'

/** Calls `run` while the database contains the lease of a running server of the previous release. */
export async function whilePreviousReleaseRuns({ db }: Pick<TestApp, 'db'>, run: () => Promise<void>): Promise<void> {
  await sql`insert into server_process (id, expires) values ('former', now() + interval '1 hour')`.execute(db)
  try {
    await run()
  } finally {
    await sql`delete from server_process where id = 'former'`.execute(db)
  }
}
