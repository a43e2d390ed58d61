import type { Context } from '../../context.ts'
import type { Database } from '../../db/database.ts'
import { ApiError, badInput, notFound } from '../../errors.ts'
import type { StorageQuotas } from '../../rate-limits/storage-quotas.ts'
import { insideOf } from '../../restriction.ts'
import { type AttributesInput, setAttributesTogether } from '../attributes/set-attributes.ts'
import type { AuthenticatedDevice } from '../devices/changes/verify-device-credentials.ts'
import type { State } from '../devices/device.ts'
import { sourceOf } from '../events/event-source.ts'
import type { DeviceKey } from './device-keys.ts'
import { lockDevices, touch } from './presence.queries.ts'
import { applyStateReports, type StateReport } from './state-reports.ts'

/** The default `ttl` of a reported active state, in seconds. */
const DEFAULT_TTL = 300
const MAX_TTL = 86_400

export async function reportStateOf(
  context: Pick<Context, 'db' | 'viewer'>,
  { serviceId, state, ttl }: { serviceId: string; state: string; ttl?: number | null },
): Promise<void> {
  const report: StateReport = { id: serviceId, state: readState(state, 'state') }
  assertTtl(ttl ?? DEFAULT_TTL)
  if (report.state === 'active') report.ttl = ttl ?? DEFAULT_TTL
  await context.db.transaction().execute((transaction) => applyStates(transaction, context, [report]))
}

/** A report that a device sends without an MQTT connection. */
export interface DeviceReport {
  state?: State | undefined
  ttl?: number | undefined
  attributes?: Record<string, unknown> | undefined
  services: ServiceReport[]
  address: string
}

export interface ServiceReport {
  id: string
  state?: State | undefined
  attributes?: Record<string, unknown> | undefined
}

/** Applies a report. If any part of the report is rejected, throws an error and writes nothing. */
export async function applyReport(
  { db, storage }: { db: Database; storage: StorageQuotas },
  { deviceId, viewer }: AuthenticatedDevice,
  report: DeviceReport,
): Promise<void> {
  const charge = (bytes: number): void => storage.chargeDevice({ accountId: viewer.accountId, deviceId }, bytes)
  const writes = attributeWrites(deviceId, report).map((write) => ({ ...write, charge }))
  const states = stateReports(deviceId, report)
  assertValidReport(report, states)
  await db.transaction().execute(async (transaction) => {
    const context = { db: transaction, viewer }
    if (writes.length > 0) await setAttributesTogether(context, writes)
    if (states.length > 0) await applyStates(transaction, context, states)
    else await recordReport(transaction, { accountId: viewer.accountId, deviceId })
  })
}

/**
 * Applies state reports. Throws the error of the first rejected report, such as NOT_FOUND if the caller can reach no
 * device or service with the ID.
 */
async function applyStates(
  transaction: Database,
  { viewer }: Pick<Context, 'viewer'>,
  reports: readonly StateReport[],
): Promise<void> {
  const outcomes = await applyStateReports(transaction, viewer.accountId, {
    reports,
    source: sourceOf(viewer),
    inside: insideOf(viewer),
  })
  const failure = outcomes.find((outcome) => outcome instanceof ApiError)
  if (failure !== undefined) throw failure
}

async function recordReport(transaction: Database, device: DeviceKey): Promise<void> {
  const locked = await lockDevices(transaction, [device])
  if (locked.length === 0) throw notFound('device', device.deviceId)
  await touch(transaction, locked)
}

function assertValidReport(report: DeviceReport, states: readonly StateReport[]): void {
  const { ttl, services, state } = report
  if (ttl !== undefined) assertTtl(ttl)
  const isEmpty = state === undefined && report.attributes === undefined && services.length === 0
  if (isEmpty) throw badInput('the report is empty: send state, attributes, or services')
  if (ttl !== undefined && !states.some((each) => each.state === 'active'))
    throw badInput('ttl applies only to the active state, but the report contains no active state: omit ttl')
  const active = services.findIndex((service) => service.state === 'active')
  if (state === 'inactive' && active >= 0)
    throw badInput(`services[${active}].state cannot be active while the device's state is inactive`)
}

const attributeWrites = (
  deviceId: string,
  { attributes, services }: DeviceReport,
): (AttributesInput & { path: string })[] =>
  [{ id: deviceId, attributes, path: '' }, ...services.map((each, index) => ({ ...each, path: `services[${index}].` }))]
    .filter((target) => target.attributes !== undefined)
    .map(({ id, attributes: given, path }) => ({ serviceId: id, attributes: given!, path, deviceId }))

/** Returns the state reports, the device's own first, because its services become inactive when the device does. */
function stateReports(deviceId: string, { state, ttl = DEFAULT_TTL, services, address }: DeviceReport): StateReport[] {
  const reported = [{ id: deviceId, state }, ...services]
  return reported.flatMap((each) => {
    if (each.state === undefined) return []
    const report: StateReport = { id: each.id, state: each.state, address, deviceId }
    return [each.state === 'active' ? { ...report, ttl } : report]
  })
}

export function readState(text: string, path: string): State {
  if (text !== 'active' && text !== 'inactive') throw badInput(`${path} must be active or inactive`)
  return text
}

function assertTtl(seconds: number): void {
  if (seconds < 1 || seconds > MAX_TTL) throw badInput(`ttl must be from 1 to ${MAX_TTL} seconds, not ${seconds}`)
}
