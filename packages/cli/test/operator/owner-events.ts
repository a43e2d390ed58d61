import { readCredentials, type ServerProcess, sendAs } from '../../../server/test/harness/server-process.ts'

export interface OwnerEvent {
  type: string
  data: Record<string, unknown>
}

/**
 * Returns the owner's events about backups, rotations of the master key, and removed users, oldest first. Throws if an
 * event has an actor or if its source is not the server.
 */
export async function ownerEvents(dataFolder: string, { url }: Pick<ServerProcess, 'url'>): Promise<OwnerEvent[]> {
  const document = `{ login { events(size: 1000, types: [BACKUP_CREATE, BACKUP_RESTORE, MASTER_KEY_ROTATE, USER_REMOVE]) {
    items { type actor { id } source { kind } data } } } }`
  const { body } = await sendAs(await readCredentials(dataFolder), url, document)
  if (body.errors !== undefined) throw new Error(JSON.stringify(body.errors))
  const { items } = body.data.login.events
  for (const { actor, source } of items) {
    if (actor !== null || source.kind !== 'server') throw new Error(JSON.stringify({ actor, source }))
  }
  return items.map(({ type, data }: OwnerEvent) => ({ type, data })).reverse()
}
