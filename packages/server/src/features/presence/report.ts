import type { Context } from '../../context.ts'
import type { Database } from '../../db/database.ts'
import { badInput } from '../../errors.ts'
import type { StorageQuotas } from '../../rate-limits/storage-quotas.ts'
import { type AttributesInput, setAttributesTogether } from '../attributes/set-attributes.ts'
import type { AuthenticatedDevice } from '../devices/changes/device-credentials.ts'
import type { State } from '../devices/device.ts'
import { recordReport, reportServiceState, reportStatesIn } from './presence.ts'
import { assertTtl, DEFAULT_TTL, readState } from './report-fields.ts'
import type { StateReport } from './state-reports.ts'

/** Applies the owner's report for a device or service. */
export async function reportStateOf(
  context: Pick<Context, 'db' | 'viewer'>,
  { serviceId, state, ttl }: { serviceId: string; state: string; ttl?: number | null },
): Promise<void> {
  const report: StateReport = { id: serviceId, state: readState(state, 'state') }
  assertTtl(ttl ?? DEFAULT_TTL, 'ttl')
  if (report.state === 'active') report.ttl = ttl ?? DEFAULT_TTL
  await reportServiceState(context, report)
}

/** A report that a device sends without a connection. */
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

/** Writes the attributes and states of the device and its services. Writes nothing if any part of the report is invalid. */
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
    if (states.length > 0) await reportStatesIn(transaction, context, states)
    else await recordReport(transaction, context, deviceId)
  })
}

function assertValidReport(report: DeviceReport, states: readonly StateReport[]): void {
  const { ttl, services, state } = report
  if (ttl !== undefined) assertTtl(ttl, 'ttl')
  const isEmpty = state === undefined && report.attributes === undefined && services.length === 0
  if (isEmpty) throw badInput('the report is empty: send state, attributes, or services')
  if (ttl !== undefined && !states.some((each) => each.state === 'active')) {
    throw badInput('ttl applies only to the active state, but the report contains no active state')
  }
  const active = services.findIndex((service) => service.state === 'active')
  if (state === 'inactive' && active >= 0) {
    throw badInput(`services[${active}].state cannot be active while the device's state is inactive`)
  }
}

const attributeWrites = (
  deviceId: string,
  { attributes, services }: DeviceReport,
): (AttributesInput & { path: string })[] =>
  [{ id: deviceId, attributes, path: '' }, ...services.map((each, index) => ({ ...each, path: `services[${index}].` }))]
    .filter((target) => target.attributes !== undefined)
    .map(({ id, attributes: given, path }) => ({ serviceId: id, attributes: given!, path, deviceId }))

/** Reports the device's state first because the device's services become inactive with the device. */
function stateReports(deviceId: string, { state, ttl = DEFAULT_TTL, services, address }: DeviceReport): StateReport[] {
  const reported = [{ id: deviceId, state }, ...services]
  return reported.flatMap((each) => {
    if (each.state === undefined) return []
    const report: StateReport = { id: each.id, state: each.state, address, deviceId }
    return [each.state === 'active' ? { ...report, ttl } : report]
  })
}
