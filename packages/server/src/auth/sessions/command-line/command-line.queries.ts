import { type Database, query } from '../../../db/database.ts'

export interface CommandLineRequest {
  /** The SHA-256 hash of the device code. */
  id: string
  userCode: string
  publicKey: string
  /** The name that the machine claims. */
  machine: string
  address: string
  /** The port on the machine to which the browser returns; null if the person types the code. */
  port: number | null
  expires: Date
}

export interface PolledRequest extends CommandLineRequest {
  denied: Date | null
  accountId: string | null
  personId: string | null
  sessionId: string | null
  codeHash: Buffer | null
  accessKey: string | null
}

const fields = `id, user_code as "userCode", public_key as "publicKey", machine, address, port, expires`

/** Returns false if another request has the same user code. */
export async function insertRequest(db: Database, request: CommandLineRequest): Promise<boolean> {
  const { id, userCode, publicKey, machine, address, port, expires } = request
  const { numInsertedOrUpdatedRows = 0n } = await db
    .insertInto('command_line_request')
    .values({ id, user_code: userCode, public_key: publicKey, machine, address, port, expires })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows > 0n
}

/** Identifies a request: by the ID in the link if the browser returns to the machine, otherwise by the typed code. */
export type Named = { id: string } | { userCode: string }

const isNamed = `((id = $1 and port is not null) or (user_code = $2 and port is null))
  and expires > $3 and denied is null and chosen_account is null`

const valuesOf = (named: Named): (string | null)[] => [
  'id' in named ? named.id : null,
  'id' in named ? null : named.userCode,
]

export async function findOpenRequest(db: Database, named: Named, now: Date): Promise<CommandLineRequest | undefined> {
  const [row] = await query<CommandLineRequest>(db, `select ${fields} from command_line_request where ${isNamed}`, [
    ...valuesOf(named),
    now,
  ])
  return row
}

export interface Approval {
  accountId: string
  personId: string
  sessionId: string
  codeHash: Buffer | null
}

/** Returns false if the request is no longer waiting for a decision. */
export async function approveRequest(db: Database, named: Named, now: Date, approval: Approval): Promise<boolean> {
  const { accountId, personId, sessionId, codeHash } = approval
  const rows = await query(
    db,
    `update command_line_request set chosen_account = $4, person_id = $5, session_id = $6, code_hash = $7
     where ${isNamed} returning id`,
    [...valuesOf(named), now, accountId, personId, sessionId, codeHash],
  )
  return rows.length > 0
}

/** Returns false if the request is no longer waiting for a decision. */
export async function denyRequest(db: Database, named: Named, now: Date): Promise<boolean> {
  const rows = await query(db, `update command_line_request set denied = $3 where ${isNamed} returning id`, [
    ...valuesOf(named),
    now,
  ])
  return rows.length > 0
}

/** Records a poll and returns the request, unless it is unknown, has expired, or was last polled after `before`. */
export async function pollRequest(
  db: Database,
  id: string,
  { now, before }: { now: Date; before: Date },
): Promise<PolledRequest | undefined> {
  const [row] = await query<PolledRequest>(
    db,
    `update command_line_request set polled = $2
     where id = $1 and expires > $2 and (polled is null or polled <= $3)
     returning ${fields}, denied, chosen_account as "accountId", person_id as "personId", session_id as "sessionId",
       code_hash as "codeHash", access_key as "accessKey"`,
    [id, now, before],
  )
  return row
}

export async function isKnownRequest(db: Database, id: string, now: Date): Promise<boolean> {
  return (await query(db, 'select id from command_line_request where id = $1 and expires > $2', [id, now])).length > 0
}

/** Returns true only for the first call, so that concurrent polls create only one access key. */
export async function claimRequest(db: Database, id: string, now: Date): Promise<boolean> {
  const rows = await query(
    db,
    'update command_line_request set claimed = $2 where id = $1 and claimed is null returning id',
    [id, now],
  )
  return rows.length > 0
}

export async function writeKey(db: Database, id: string, accessKey: string): Promise<void> {
  await query(db, 'update command_line_request set access_key = $2 where id = $1', [id, accessKey])
}

export async function deleteRequest(db: Database, id: string): Promise<void> {
  await query(db, 'delete from command_line_request where id = $1', [id])
}
