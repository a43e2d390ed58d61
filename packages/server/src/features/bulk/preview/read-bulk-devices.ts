import type { ResolvedFilter } from '@muster/filter'
import type { Database } from '../../../db/database.ts'
import type { Attributes } from '../../attributes/attributes.ts'
import { readDevices } from '../../attributes/lock-and-save-targets.ts'
import { copyTimes, newTarget, type OverrideNames, type Target, type ValueTimes } from '../../attributes/target.ts'
import type { FieldName, State } from '../../devices/device.ts'
import type { ServiceFields } from '../../services/new-service.ts'
import { fieldsOfService, readStoredServices, type StoredService } from '../../services/services-of-many-devices.ts'
import type { BulkOperation, RemovedService } from '../bulk-job.ts'

export interface BulkDevice {
  id: string
  fields: Record<FieldName, string | null>
  state: State
  target: Target
  /** The device's services, or an empty list if no change in the preview step concerns services. */
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
  /** Matches the devices that the caller can reach. Undefined if the caller can reach all devices. */
  inside: ResolvedFilter | undefined
  /** The contexts in which the devices' attributes are read, in addition to the base values. */
  contexts: readonly string[]
  withServices: boolean
  matches: ServiceMatches
}

/** Returns the devices, keyed by ID. Omits devices that do not exist or that the caller cannot reach. */
export async function readBulkDevices(
  db: Database,
  accountId: string,
  { ids, inside, contexts, withServices, matches }: ReadOptions,
): Promise<Map<string, BulkDevice>> {
  const read = await readDevices(db, accountId, { ids, contexts, inside })
  const found = read.map(({ id }) => id)
  const services = withServices ? await readStoredServices(db, accountId, found) : new Map<string, StoredService[]>()
  return new Map(
    read.map(({ id, state, target, ...fields }): [string, BulkDevice] => {
      const ofDevice = (services.get(id) ?? []).map((stored) => toBulkService(stored, { id, name: fields.name }))
      return [id, { id, state, fields, target, services: ofDevice, matches }]
    }),
  )
}

export function toBulkService(stored: StoredService, device: { id: string; name: string }): BulkService {
  const { id, name, attributes, overrideNames, overrides, overrideTimes } = stored
  const fields = fieldsOfService(stored)
  const identity = { kind: 'service' as const, id, name, device }
  // A running job locks the device before it reads the services, so all earlier changes to services have times before
  // `readAt`.
  const times = { times: stored.times as ValueTimes, lockedAt: stored.readAt }
  const target = newTarget(identity, attributes as Attributes, overrideNames as OverrideNames, times)
  target.contextCount = Object.keys(overrides).length
  for (const [context, values] of Object.entries(overrides)) target.overrides.set(context, values as Attributes)
  for (const [context, ofContext] of Object.entries(overrideTimes))
    target.overrideTimes.set(context, copyTimes(ofContext as ValueTimes))
  return { id, before: { id, ...fields, attributes, overrides }, fields, target }
}
