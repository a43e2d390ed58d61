import type { ChangeSource, UserReference } from '../../resolvers.generated.ts'
import type { Viewer } from '../../viewer.ts'
import type { EventSource, Target } from './event-types.ts'

export const consoleSource: EventSource = { kind: 'console' }
export const deviceSource: EventSource = { kind: 'device' }
export const serverSource: EventSource = { kind: 'server' }

/** An operator's command has neither an access key nor a session, so its source is the server. */
export function sourceOf({ accessKey, accessKeyName = null, session, isDevice, job }: Viewer): EventSource {
  if (job !== undefined) return { kind: 'job', ...job, ...(accessKey !== undefined && { key: accessKey }) }
  if (isDevice === true) return deviceSource
  if (accessKey !== undefined) return { kind: 'accessKey', id: accessKey, name: accessKeyName }
  return session === undefined ? serverSource : consoleSource
}

/** Returns the ID of the acting person, or null for a device or the server. */
export const actorOf = ({ accountId, personId = accountId, isDevice, isServer }: Viewer): string | null =>
  isDevice === true || isServer === true ? null : personId

interface SourcedEvent {
  source: EventSource | null
  deviceId: string | null
  targets: readonly Target[]
}

/** If the event was recorded without a source, the returned source has the kind `unknown`. */
export function describeSource(
  { source, deviceId, targets }: SourcedEvent,
  user: UserReference | null,
): Required<Pick<ChangeSource, 'kind' | 'id' | 'name' | 'user'>> {
  if (source === null) return { kind: 'unknown', id: null, name: null, user }
  if (source.kind === 'job') return { kind: 'job', id: source.id, name: source.name, user }
  if (source.kind === 'accessKey') return { ...source, user }
  if (source.kind !== 'device') return { kind: source.kind, id: null, name: null, user }
  const name = targets.find(({ kind }) => kind === 'device')?.name ?? null
  return { kind: 'device', id: deviceId, name, user: null }
}

/** Returns the ID of the bulk job that made the change, or null. */
export const jobIdOf = (source: EventSource | null): string | null => (source?.kind === 'job' ? source.id : null)
