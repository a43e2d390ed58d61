import type { Context } from '../../context.ts'
import type { Database } from '../../db/database.ts'
import { ApiError, notFound } from '../../errors.ts'
import { parseId } from '../devices/device-id.ts'
import { sourceOf } from '../events/event-source.ts'
import { lockDevices, touch } from './presence.queries.ts'
import type { StateReport } from './state-reports.ts'
import { applyStateReports } from './state-reports.ts'

/** The context of a report. The devices belong to `viewer.accountId`. */
export type Reporter = Pick<Context, 'db' | 'viewer'>

/** Applies all state reports or none. Throws NOT_FOUND if an ID does not belong to a device or service of the viewer. */
export async function reportStates(context: Reporter, reports: readonly StateReport[]): Promise<void> {
  await context.db.transaction().execute((transaction) => reportStatesIn(transaction, context, reports))
}

/** Like `reportStates`, but runs in the caller's transaction. Locks devices, then services, both in ID order. */
export async function reportStatesIn(
  transaction: Database,
  { viewer }: Pick<Context, 'viewer'>,
  reports: readonly StateReport[],
): Promise<void> {
  const outcomes = await applyStateReports(transaction, viewer.accountId, { reports, source: sourceOf(viewer) })
  const failure = outcomes.find((outcome) => outcome instanceof ApiError)
  if (failure !== undefined) throw failure
}

/** Reports all devices as active for `ttl` seconds, or none if a report is rejected. */
export const reportActive = (
  context: Reporter,
  { deviceIds, ttl, address }: { deviceIds: readonly string[]; ttl: number; address?: string | undefined },
): Promise<void> =>
  reportStates(
    context,
    deviceIds.map((id) => ({ id, state: 'active', ttl, address })),
  )

/** Reports all devices as inactive, or none if a report is rejected. Throws CONFLICT if a device is connected. */
export const reportInactive = (
  context: Reporter,
  { deviceIds, address }: { deviceIds: readonly string[]; address?: string | undefined },
): Promise<void> =>
  reportStates(
    context,
    deviceIds.map((id) => ({ id, state: 'inactive', address })),
  )

/** Reports the state of a service or device. */
export const reportServiceState = (context: Reporter, report: StateReport): Promise<void> =>
  reportStates(context, [report])

/** Records the current time as a device's last report, in the caller's transaction. Used for reports without a state. */
export async function recordReport(
  transaction: Database,
  { viewer }: Pick<Context, 'viewer'>,
  deviceId: string,
): Promise<void> {
  const id = parseId(deviceId)
  if (id === undefined) throw notFound('device', deviceId)
  const locked = await lockDevices(transaction, [{ accountId: viewer.accountId, deviceId: id }])
  if (locked.length === 0) throw notFound('device', deviceId)
  await touch(transaction, locked)
}
