import { type Database, inTransaction } from '../../db/database.ts'

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
  /** A response that contains the secret is not stored. */
  secret?: string | null
}

/** The created object and the record of the Idempotency-Key are committed together. */
export interface Once {
  /** Begins the transaction, which stays open until the response is complete. */
  begin(): Promise<Database>
  recordCreated(created: Created): void
}

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

/** Like `createOnce`, but runs `create` in a transaction even without an Idempotency-Key. */
export const createOnceInTransaction = <Result>(
  context: { db: Database; once?: Once },
  create: (transaction: Database) => Promise<Result>,
  describe: (result: Result) => Created,
): Promise<Result> => createOnce(context, (db) => inTransaction(db, create), describe)
