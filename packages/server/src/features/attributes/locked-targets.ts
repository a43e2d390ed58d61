import type { ResolvedFilter } from '@muster/filter'
import type { Database } from '../../db/database.ts'
import { parseId } from '../devices/device-id.ts'
import {
  deleteOverrides,
  listContextsWithOverrides,
  lockAccount,
  lockDevices,
  lockServices,
  type OverrideRow,
  selectDevices,
  type TargetRow,
  updateReserved,
  updateTargets,
  upsertOverrides,
} from './attributes.queries.ts'
import { joinReserved, splitReserved } from './attributes.ts'
import { newTarget, type Target } from './target.ts'

/** A target and the context to change. An undefined context selects the base values. */
export interface Place {
  targetId: string
  context: string | undefined
}

/** Returns the stored ID, or undefined if no user, device, or service of this account can have the ID. */
export const parseTargetId = (accountId: string, text: string): string | undefined =>
  text === accountId ? accountId : parseId(text)

/**
 * Locks targets and reads the data that is needed to check changes. Omits unknown IDs. Every caller locks rows in the
 * same order, which prevents deadlocks: devices, then services, then the account, each by ID. Other tables are read
 * after the locks are acquired, so their data is at least as new as the locked rows.
 */
export async function lockTargets(
  db: Database,
  accountId: string,
  { places, inside }: { places: readonly Place[]; inside: ResolvedFilter | undefined },
): Promise<ReadonlyMap<string, Target>> {
  const ids = [...new Set(places.map(({ targetId }) => targetId))]
  const targets = new Map<string, Target>()
  await lockDevicesAndServices(db, accountId, {
    ids: ids.filter((id) => id !== accountId),
    inside,
    targets,
  })
  if (ids.includes(accountId)) {
    const { name, attributes, override_names } = await lockAccount(db, accountId)
    targets.set(
      accountId,
      newTarget({ kind: 'user', id: accountId, name, device: undefined }, attributes, override_names),
    )
  }
  await readContexts(db, accountId, { places, targets })
  return targets
}

/** Reads devices as `lockTargets` does, but without locks. */
export async function readDevices(
  db: Database,
  accountId: string,
  places: readonly Place[],
): Promise<ReadonlyMap<string, Target>> {
  const targets = new Map<string, Target>()
  for (const row of await selectDevices(db, accountId, [...new Set(places.map(({ targetId }) => targetId))])) {
    targets.set(row.id, deviceTarget(row))
  }
  await readContexts(db, accountId, { places, targets })
  return targets
}

function deviceTarget(row: Awaited<ReturnType<typeof selectDevices>>[number]): Target {
  const { id, name, attributes, override_names } = row
  const identity = { kind: 'device' as const, id, name, device: { id, name } }
  return newTarget(identity, joinReserved(attributes, row), override_names)
}

async function lockDevicesAndServices(
  db: Database,
  accountId: string,
  { ids, inside, targets }: { ids: string[]; inside: ResolvedFilter | undefined; targets: Map<string, Target> },
): Promise<void> {
  if (ids.length === 0) return
  const devices = await lockDevices(db, accountId, { ids, inside })
  const named = devices.filter((device) => device.named)
  if (named.length < ids.length) {
    const names = new Map(devices.map(({ id, name }) => [id, name]))
    const services = await lockServices(db, accountId, { ids, deviceIds: [...names.keys()] })
    for (const { id, name, device_id, attributes, override_names } of services) {
      const device = { id: device_id, name: names.get(device_id)! }
      targets.set(id, newTarget({ kind: 'service', id, name, device }, attributes, override_names))
    }
  }
  for (const row of named) targets.set(row.id, deviceTarget(row))
}

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
  for (const { target_id, context, attributes } of rows) {
    const target = targets.get(target_id)!
    target.contextCount++
    if (attributes !== null) target.overrides.set(context, attributes)
  }
}

/** Saves the changes to locked targets. */
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
    await updateTargets(db, tables[kind], accountId, ofKind.map(rowOf))
  }
}

function rowOf({ kind, id, base, overrideNames, changed }: Target): TargetRow {
  const row: TargetRow = { id }
  if (changed.attributes) row.attributes = kind === 'device' ? splitReserved(base).attributes : base
  if (changed.overrideNames) row.override_names = overrideNames
  return row
}

async function saveReserved(db: Database, accountId: string, targets: readonly Target[]): Promise<void> {
  const rows = targets
    .filter(({ changed }) => changed.reserved)
    .map(({ id, base }) => ({ id, reserved: splitReserved(base).reserved }))
  if (rows.length > 0) await updateReserved(db, accountId, rows)
}

async function saveOverrides(db: Database, accountId: string, targets: readonly Target[]): Promise<void> {
  const rows: OverrideRow[] = targets.flatMap(({ id, overrides, changed }) =>
    [...changed.contexts].map((context) => ({ target_id: id, context, attributes: overrides.get(context)! })),
  )
  const isEmpty = ({ attributes }: OverrideRow): boolean => Object.keys(attributes).length === 0
  const nonEmpty = rows.filter((row) => !isEmpty(row))
  const emptied = rows.filter(isEmpty)
  if (nonEmpty.length > 0) await upsertOverrides(db, accountId, nonEmpty)
  if (emptied.length > 0) {
    await deleteOverrides(
      db,
      accountId,
      emptied.map((row) => row.target_id),
      emptied.map((row) => row.context),
    )
  }
}
