import { sql } from 'kysely'
import type { Context, Viewer } from '../../context.ts'
import type { Database } from '../../db/database.ts'
import { type EventSource, sourceOf } from './event-source.ts'

/** What an event can be about; the API's EventType. */
export const eventTypes = [
  'DEVICE_STATE',
  'SERVICE_STATE',
  'DEVICE_REGISTER',
  'DEVICE_UPDATE',
  'DEVICE_DELETE',
  'DEVICE_SECRET_ROTATE',
  'SERVICE_ADD',
  'SERVICE_UPDATE',
  'SERVICE_REMOVE',
  'ATTRIBUTE_CHANGE',
  'ACCESS_KEY_CREATE',
  'ACCESS_KEY_UPDATE',
  'ACCESS_KEY_DELETE',
  'REGISTRATION_CODE_CREATE',
  'REGISTRATION_CODE_DELETE',
  'WEBHOOK_CREATE',
  'WEBHOOK_UPDATE',
  'WEBHOOK_DELETE',
  'WEBHOOK_PAUSE',
  'AUTH_LOGIN',
  'AUTH_FAIL',
  'PASSWORD_CHANGE',
  'AUTHENTICATOR_ADD',
  'AUTHENTICATOR_UPDATE',
  'AUTHENTICATOR_REMOVE',
  'PASSKEY_ADD',
  'PASSKEY_UPDATE',
  'PASSKEY_REMOVE',
  'SESSION_REVOKE',
  'USER_ADD',
  'USER_DISABLE',
  'USER_ENABLE',
] as const

export type EventTypeName = (typeof eventTypes)[number]

/** What an event happened to, with its name at the time. */
export interface Target {
  id: string
  name: string
  kind: 'user' | 'device' | 'service' | 'accessKey' | 'registrationCode' | 'webhook'
}

export interface NewEvent {
  type: EventTypeName
  /** The device it belongs to, where it belongs to one. */
  deviceId?: string
  targets: Target[]
  state?: 'active' | 'inactive'
  /** What made the change; by default, what the viewer came with. */
  source?: EventSource
  data: Record<string, unknown>
}

/** The user who makes a request; null for a device and for the server. */
export const actorOf = ({ accountId, isDevice, isServer }: Viewer): string | null =>
  isDevice === true || isServer === true ? null : accountId

/**
 * Writes events of the viewer's account. Called inside the transaction that made the change, after the changed rows are
 * locked: the numbers then follow the order of the changes.
 */
export async function recordEvents(
  db: Database,
  { viewer }: Pick<Context, 'viewer'>,
  events: readonly NewEvent[],
): Promise<void> {
  if (events.length === 0) return
  const rows = events.map(({ type, deviceId, targets, state, source = sourceOf(viewer), data }) => ({
    type,
    device_id: deviceId,
    targets,
    state,
    source,
    data,
  }))
  await sql`
    insert into event (account_id, type, device_id, actor_id, source, targets, state, data)
    select ${viewer.accountId}, type, device_id, ${actorOf(viewer)}, source, targets, state, data
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as row (type text, device_id text, source jsonb, targets jsonb, state text, data jsonb)`.execute(db)
}
