import type { ResolvedFilter } from '@muster/filter'
import type { Database } from '../../../db/database.ts'
import type { Attributes } from '../../attributes/attributes.ts'
import { readDevices } from '../../attributes/locked-targets.ts'
import { copyTimes, newTarget, type OverrideNames, type Target, type ValueTimes } from '../../attributes/target.ts'
import type { FieldName, State } from '../../devices/device.ts'
import type { ServiceFields } from '../../services/new-service.ts'
import { fieldsOfService, readStoredServices, type StoredService } from '../../services/services-of-many.ts'
import { selectFields } from '../bulk-items.queries.ts'
import type { BulkOperation, RemovedService } from '../bulk-job.ts'

export interface BulkDevice {
  id: string
  fields: Record<FieldName, string | null>
  state: State
  target: Target
  /** The services, if an operation or a row needs them. */
  services: BulkService[]
  matches: ServiceMatches
}

export interface BulkService {
  id: string
  /** Undefined for a service that the job adds. */
  before: RemovedService | undefined
  /** Undefined for a service that the job removes. */
  fields: ServiceFields | undefined
  target: Target
}

export type ServiceMatches = ReadonlyMap<BulkOperation, ReadonlySet<string>>

interface ReadOptions {
  ids: readonly string[]
  /** The devices that the caller can reach. Undefined for all devices. */
  inside: ResolvedFilter | undefined
  /** The contexts in which device attributes are set. */
  contexts: readonly (string | undefined)[]
  withServices: boolean
  matches: ServiceMatches
}

/** Omits devices that the caller cannot reach. */
export async function readBulkDevices(
  db: Database,
  accountId: string,
  { ids: given, inside, contexts, withServices, matches }: ReadOptions,
): Promise<Map<string, BulkDevice>> {
  const rows = await selectFields(db, accountId, { ids: given, inside })
  const ids = rows.map(({ id }) => id)
  const all = [...new Set([undefined, ...contexts])]
  const places = ids.flatMap((targetId) => all.map((context) => ({ targetId, context })))
  const targets = await readDevices(db, accountId, places)
  const services = withServices ? await readStoredServices(db, accountId, ids) : new Map<string, StoredService[]>()
  const found = rows.flatMap(({ id, state, ...fields }): [string, BulkDevice][] => {
    const target = targets.get(id)
    if (target === undefined) return []
    const ofDevice = (services.get(id) ?? []).map((stored) => toBulkService(stored, { id, name: fields.name }))
    return [[id, { id, state, fields, target, services: ofDevice, matches }]]
  })
  return new Map(found)
}

export function toBulkService(stored: StoredService, device: { id: string; name: string }): BulkService {
  const { id, name, attributes, overrideNames, overrides, overrideTimes } = stored
  const fields = fieldsOfService(stored)
  const identity = { kind: 'service' as const, id, name, device }
  // A run locks the device before it reads the services, so no other change is later than this read.
  const times = { times: stored.times as ValueTimes, lockedAt: stored.readAt }
  const target = newTarget(identity, attributes as Attributes, overrideNames as OverrideNames, times)
  target.contextCount = Object.keys(overrides).length
  for (const [context, values] of Object.entries(overrides)) target.overrides.set(context, values as Attributes)
  for (const [context, ofContext] of Object.entries(overrideTimes))
    target.overrideTimes.set(context, copyTimes(ofContext as ValueTimes))
  return { id, before: { id, ...fields, attributes, overrides }, fields, target }
}
