import { type Database, query } from '../../../db/database.ts'

type Settings = Record<string, string>

export async function findOwnSettings(db: Database, personId: string): Promise<Settings | undefined> {
  const [row] = await query<{ ui: Settings }>(db, 'select ui from person where id = $1', [personId])
  return row?.ui
}

export async function lockOwnSettings(transaction: Database, personId: string): Promise<Settings | undefined> {
  const [row] = await query<{ ui: Settings }>(transaction, 'select ui from person where id = $1 for no key update', [
    personId,
  ])
  return row?.ui
}

export const updateOwnSettings = (transaction: Database, personId: string, settings: Settings = {}) =>
  query(transaction, 'update person set ui = $2 where id = $1', [personId, JSON.stringify(settings)])
