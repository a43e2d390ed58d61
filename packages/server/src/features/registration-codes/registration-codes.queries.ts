import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import type { ServiceInput } from '../services/new-service.ts'
import type { CodeTemplate, RegistrationCode } from './registration-code.ts'

const columns = sql.raw('id, prefix, name, platform, uses, used, created, expires')

export async function selectRegistrationCodes(db: Database, accountId: string): Promise<RegistrationCode[]> {
  const { rows } = await sql<RegistrationCode>`
    select ${columns} from registration_code where account_id = ${accountId} order by created desc, id`.execute(db)
  return rows
}

export async function countCodes(db: Database, accountId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from registration_code where account_id = ${accountId}`.execute(db)
  return rows[0]!.count
}

export interface NewRegistrationCode extends CodeTemplate {
  id: string
  codeHash: Buffer
  prefix: string
  uses: number
  expires: Date
}

export async function insertRegistrationCode(
  db: Database,
  accountId: string,
  code: NewRegistrationCode,
): Promise<RegistrationCode> {
  const { rows } = await sql<RegistrationCode>`
    insert into registration_code (account_id, id, code_hash, prefix, name, platform, services, attributes, uses, expires)
    values (${accountId}, ${code.id}, ${code.codeHash}, ${code.prefix}, ${code.name}, ${code.platform},
      ${JSON.stringify(code.services)}::jsonb, ${JSON.stringify(code.attributes)}::jsonb, ${code.uses}, ${code.expires})
    returning ${columns}`.execute(db)
  return rows[0]!
}

export async function removeRegistrationCode(
  db: Database,
  accountId: string,
  id: string,
): Promise<RegistrationCode | undefined> {
  const { rows } = await sql<RegistrationCode>`
    delete from registration_code where account_id = ${accountId} and id = ${id} returning ${columns}`.execute(db)
  return rows[0]
}

/** Deletes the codes, in all accounts, that expired before `time`. Returns the number of deleted codes. */
export async function removeCodesExpiredBefore(db: Database, time: Date): Promise<number> {
  const { numAffectedRows } = await sql`delete from registration_code where expires < ${time}`.execute(db)
  return Number(numAffectedRows ?? 0)
}

export interface PresentedCode extends CodeTemplate {
  accountId: string
  email: string
  id: string
  services: ServiceInput[]
  uses: number
  used: number
  expires: Date
}

/** Returns undefined if no code has this hash, or if the code's account is disabled. */
export async function findCodeByHash(db: Database, codeHash: Buffer): Promise<PresentedCode | undefined> {
  const { rows } = await sql<PresentedCode>`
    select c.account_id as "accountId", a.email, c.id, c.name, c.platform, c.services, c.attributes, c.uses, c.used, c.expires
    from registration_code c join account a on a.id = c.account_id
    where c.code_hash = ${codeHash} and a.disabled is null`.execute(db)
  return rows[0]
}

/**
 * Counts a use of the code, and locks the code's row until the transaction ends. Returns false if the code has no uses
 * left or was deleted.
 */
export async function countUse(db: Database, accountId: string, id: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update registration_code set used = used + 1
    where account_id = ${accountId} and id = ${id} and used < uses`.execute(db)
  return numAffectedRows === 1n
}
