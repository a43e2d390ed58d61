import type { Database } from '../../db/database.ts'

/** What a mutation created. */
export interface Created {
  kind: 'access key' | 'device' | 'registration code' | 'service' | 'webhook'
  id: string
  /** Shown in this response only, so it is never stored. */
  secret?: string | null
}

/** The transaction of a request with an Idempotency-Key: it holds what is created and the record of it. */
export interface Once {
  /** Begins the transaction. It stays open until the response is complete. */
  begin(): Promise<Database>
  noteCreated(created: Created): void
}

/**
 * Creates something by `create`, in the request's own transaction if there is an Idempotency-Key. Otherwise `create` gets the
 * database as it is.
 */
export async function createOnce<Made>(
  { db, once }: { db: Database; once?: Once },
  create: (db: Database) => Promise<Made>,
  describe: (made: Made) => Created,
): Promise<Made> {
  if (once === undefined) return create(db)
  const made = await create(await once.begin())
  once.noteCreated(describe(made))
  return made
}
