import type { Database } from '../../db/database.ts'

export interface Created {
  kind:
    | 'access key'
    | 'bulk job'
    | 'device'
    | 'invitation'
    | 'registration code'
    | 'role'
    | 'service'
    | 'view'
    | 'webhook'
  id: string
  /** The created object's secret, if it has one. A response that contains the secret is not stored. */
  secret?: string | null
}

/**
 * The transaction of a request with an Idempotency-Key. The created object and the key's record are committed together.
 */
export interface Once {
  /** Begins the transaction. It stays open until the response is complete. */
  begin(): Promise<Database>
  recordCreated(created: Created): void
}

/** Calls `create` with the request's transaction if the request has an Idempotency-Key, and otherwise with `db`. */
export async function createOnce<Result>(
  { db, once }: { db: Database; once?: Once },
  create: (db: Database) => Promise<Result>,
  describe: (result: Result) => Created,
): Promise<Result> {
  if (once === undefined) return create(db)
  const result = await create(await once.begin())
  once.recordCreated(describe(result))
  return result
}
