import type { ResolvedFilter } from '@muster/filter'
import type { Database } from '../../db/database.ts'
import type { DeviceFields, State } from '../devices/device.ts'
import { parseId } from '../devices/device-id.ts'
import {
  deleteOverrides,
  type LockedRow,
  listContextsWithOverrides,
  lockAccount,
  lockDevice,
  lockDevices,
  lockServices,
  type OverrideRow,
  type ReadRow,
  selectDevices,
  type TargetRow,
  updateReserved,
  updateTarget,
  updateTargets,
  upsertOverrides,
} from './attributes.queries.ts'
import { joinReserved, type ReservedValues, splitReserved } from './attributes.ts'
import { copyTimes, newTarget, splitTimes, type Target, type ValueTimes } from './target.ts'

/** The base values of a target or, if `context` is set, its overrides in this context. */
export interface Place {
  targetId: string
  context: string | undefined
}

/** Returns the ID in its stored form, or undefined if no user, device, or service of this account can have the ID. */
export const parseTargetId = (accountId: string, text: string): string | undefined =>
  text === accountId ? accountId : parseId(text)

/**
 * Returns the targets, keyed by ID. Omits targets that are unknown or that the caller cannot reach. Locks rows in a
 * fixed order, which prevents deadlocks: devices in ID order, then services in ID order, then the account. Other tables
 * are read after the locks are acquired, so their data is at least as new as the locked rows.
 */
export async function lockTargets(
  db: Database,
  accountId: string,
  { places, inside }: { places: readonly Place[]; inside: ResolvedFilter | undefined },
): Promise<ReadonlyMap<string, Target>> {
  const ids = [...new Set(places.map(({ targetId }) => targetId))]
  const targets = new Map<string, Target>()
  await lockDevicesAndServices(db, accountId, { ids: ids.filter((id) => id !== accountId), inside, targets })
  if (ids.includes(accountId)) {
    const row = await lockAccount(db, accountId)
    targets.set(accountId, lockedTarget({ kind: 'user', id: accountId, name: row.name, device: undefined }, row))
  }
  await readContexts(db, accountId, { places, targets })
  return targets
}

export interface ReadDevice extends DeviceFields {
  id: string
  state: State
  target: Target
}

/** Takes no locks. Omits devices that are unknown or that the caller cannot reach. */
export async function readDevices(
  db: Database,
  accountId: string,
  {
    ids,
    contexts,
    inside,
  }: { ids: readonly string[]; contexts: readonly string[]; inside: ResolvedFilter | undefined },
): Promise<ReadDevice[]> {
  const rows = await selectDevices(db, accountId, { ids, inside })
  const devices = rows.map((row): ReadDevice => {
    const { id, name, hardwareId, platform, state } = row
    return { id, name, hardwareId, platform, state, target: deviceTarget(row) }
  })
  const targets = new Map(devices.map(({ id, target }) => [id, target]))
  const places = devices.flatMap(({ id }) => contexts.map((context) => ({ targetId: id, context })))
  await readContexts(db, accountId, { places, targets })
  return devices
}

function deviceTarget(row: ReadRow & ReservedValues & Partial<LockedRow> & { live_times?: ValueTimes }): Target {
  const { id, name, attributes, override_names, locked_at, attribute_times, live_times } = row
  const identity = { kind: 'device' as const, id, name, device: { id, name } }
  const base = joinReserved(attributes, row)
  const times = { ...attribute_times, ...live_times }
  return newTarget(identity, base, override_names, { times, lockedAt: locked_at })
}

async function lockDevicesAndServices(
  db: Database,
  accountId: string,
  { ids, inside, targets }: { ids: string[]; inside: ResolvedFilter | undefined; targets: Map<string, Target> },
): Promise<void> {
  if (ids.length === 0) return
  if (ids.length === 1 && inside === undefined) {
    const device = await lockDevice(db, accountId, ids[0]!)
    if (device !== undefined) return void targets.set(device.id, deviceTarget(device))
  }
  const devices = await lockDevices(db, accountId, { ids, inside })
  const named = devices.filter((device) => device.named)
  if (named.length < ids.length) {
    const names = new Map(devices.map(({ id, name }) => [id, name]))
    const services = await lockServices(db, accountId, { ids, deviceIds: [...names.keys()] })
    for (const row of services) {
      const { id, name, device_id } = row
      const device = { id: device_id, name: names.get(device_id)! }
      targets.set(id, lockedTarget({ kind: 'service', id, name, device }, row))
    }
  }
  for (const row of named) targets.set(row.id, deviceTarget(row))
}

const lockedTarget = (identity: Parameters<typeof newTarget>[0], row: LockedRow): Target =>
  newTarget(identity, row.attributes, row.override_names, { times: row.attribute_times, lockedAt: row.locked_at })

async function readContexts(
  db: Database,
  accountId: string,
  { places, targets }: { places: readonly Place[]; targets: Map<string, Target> },
): Promise<void> {
  const pairs = places.flatMap(({ targetId, context }) =>
    context === undefined || !targets.has(targetId) ? [] : [{ targetId, context }],
  )
  if (pairs.length === 0) return
  const rows = await listContextsWithOverrides(db, accountId, {
    targetIds: pairs.map(({ targetId }) => targetId),
    contexts: pairs.map(({ context }) => context),
  })
  for (const { target_id, context, attributes, attribute_times } of rows) {
    const target = targets.get(target_id)!
    target.contextCount++
    if (attributes === null) continue
    target.overrides.set(context, attributes)
    target.overrideTimes.set(context, copyTimes(attribute_times ?? {}))
  }
}

export async function saveTargets(db: Database, accountId: string, targets: Iterable<Target>): Promise<void> {
  const changed = [...targets]
  await saveRows(db, accountId, changed)
  await saveReserved(db, accountId, changed)
  await saveOverrides(db, accountId, changed)
}

const tables = { device: 'device', service: 'service', user: 'account' } as const

async function saveRows(db: Database, accountId: string, targets: readonly Target[]): Promise<void> {
  const rows = targets.filter(({ changed }) => changed.attributes || changed.overrideNames)
  for (const [kind, ofKind] of Map.groupBy(rows, (target) => target.kind)) {
    const [first, ...others] = ofKind.map(rowOf)
    if (others.length === 0) await updateTarget(db, tables[kind], accountId, first!)
    else await updateTargets(db, tables[kind], accountId, [first!, ...others])
  }
}

function rowOf({ kind, id, base, times, overrideNames, changed }: Target): TargetRow {
  const row: TargetRow = { id }
  if (changed.attributes) {
    row.attributes = kind === 'device' ? splitReserved(base).attributes : base
    row.attribute_times = kind === 'device' ? splitTimes(times).base : times
  }
  if (changed.overrideNames) row.override_names = overrideNames
  return row
}

async function saveReserved(db: Database, accountId: string, targets: readonly Target[]): Promise<void> {
  const rows = targets
    .filter(({ changed }) => changed.reserved)
    .map(({ id, base, times }) => ({
      id,
      reserved: splitReserved(base).reserved,
      attribute_times: splitTimes(times).reserved,
    }))
  if (rows.length > 0) await updateReserved(db, accountId, rows)
}

async function saveOverrides(db: Database, accountId: string, targets: readonly Target[]): Promise<void> {
  const rows = targets.flatMap(({ id, overrides, overrideTimes, changed }) =>
    [...changed.contexts].map((context) => ({
      target_id: id,
      context,
      attributes: overrides.get(context)!,
      attribute_times: overrideTimes.get(context)!,
    })),
  )
  const isEmpty = ({ attributes }: OverrideRow): boolean => Object.keys(attributes).length === 0
  const nonEmpty = rows.filter((row) => !isEmpty(row))
  const emptied = rows.filter(isEmpty)
  if (nonEmpty.length > 0) await upsertOverrides(db, accountId, nonEmpty)
  const targetIds = emptied.map((row) => row.target_id)
  const contexts = emptied.map((row) => row.context)
  if (emptied.length > 0) await deleteOverrides(db, accountId, targetIds, contexts)
}
