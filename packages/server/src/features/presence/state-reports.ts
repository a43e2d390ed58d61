import type { ResolvedFilter } from '@muster/filter'
import type { Database } from '../../db/database.ts'
import { ApiError, notFound } from '../../errors.ts'
import type { State } from '../devices/device.ts'
import { parseId } from '../devices/device-id.ts'
import type { EventSource } from '../events/event-types.ts'
import { distinctDevices } from './device-keys.ts'
import {
  type AddressedDevice,
  activate,
  deactivateUnheld,
  endTimedHolds,
  findHolders,
  holdForTime,
  lockDevices,
  releaseByProcess,
  type TimedHold,
  touch,
} from './presence.queries.ts'
import { findDeviceIds, lockServices, type ServiceStateRow, saveServiceStates } from './service-states.queries.ts'

export interface StateReport {
  /** The ID of a device or service, case-insensitive. */
  id: string
  state: State
  /**
   * How long `active` is valid, in seconds. A service's report also keeps the device active for this time, unless a
   * later report on the device ends it earlier. Without `ttl`, an active state is accepted only if the device is
   * already active. A service then stays active until its next report or until its device becomes inactive.
   */
  ttl?: number | undefined
  address?: string | undefined
  /**
   * The ID of the device that sent the report. Omitted for other callers. A device's report on another device or its
   * services fails with NOT_FOUND.
   */
  deviceId?: string | undefined
}

type Outcome = ApiError | undefined

/**
 * Applies reports. Several reports for the same ID are applied in order. A rejected report changes nothing. Returns the
 * error of each rejected report, and undefined for every other report, in the order of `reports`.
 */
export async function applyStateReports(
  transaction: Database,
  accountId: string,
  {
    reports,
    source,
    inside,
  }: { reports: readonly StateReport[]; source: EventSource; inside?: ResolvedFilter | undefined },
): Promise<Outcome[]> {
  const targets = await lockReported(transaction, accountId, { reports, inside })
  const outcomes: Outcome[] = []
  for (const round of roundsOf(reports)) {
    const checked = round.map((report) => checkReport(targets, report))
    const accepted = checked.filter((result): result is Accepted => !(result instanceof ApiError))
    await writeRound(transaction, accountId, { accepted, source })
    outcomes.push(...checked.map((result) => (result instanceof ApiError ? result : undefined)))
  }
  return outcomes
}

/** Splits the reports into rounds of consecutive reports with unique IDs. */
function roundsOf(reports: readonly StateReport[]): StateReport[][] {
  const rounds: StateReport[][] = []
  let ids = new Set<string>()
  for (const report of reports) {
    const id = report.id.toLowerCase()
    if (rounds.length === 0 || ids.has(id)) {
      rounds.push([])
      ids = new Set()
    }
    ids.add(id)
    rounds.at(-1)!.push(report)
  }
  return rounds
}

/** `checkReport` updates `states`, so that later reports see the effect of earlier ones. */
interface LockedTargets {
  states: Map<string, State>
  deviceOfService: ReadonlyMap<string, string>
  isConnected: ReadonlySet<string>
}

async function lockReported(
  db: Database,
  accountId: string,
  { reports, inside }: { reports: readonly StateReport[]; inside: ResolvedFilter | undefined },
): Promise<LockedTargets> {
  const ids = [...new Set(reports.flatMap(({ id }) => parseId(id) ?? []))]
  const deviceIds = await findDeviceIds(db, accountId, { ids, inside })
  const devices = await lockDevices(
    db,
    deviceIds.map((deviceId) => ({ accountId, deviceId })),
  )
  const states = new Map(devices.map(({ deviceId, state }) => [deviceId, state]))
  const areServices = ids.some((id) => !states.has(id))
  const services = areServices ? await lockServices(db, accountId, { ids, deviceIds: [...states.keys()] }) : []
  // Only a report that a device is inactive depends on whether the device is connected.
  const holders = reports.some(({ state }) => state === 'inactive') ? await findHolders(db, devices) : []
  return {
    states,
    deviceOfService: new Map(services.map(({ id, deviceId }) => [id, deviceId])),
    isConnected: new Set(holders.map(({ deviceId }) => deviceId)),
  }
}

interface Accepted {
  report: StateReport
  id: string
  deviceId: string
  before: State
}

function checkReport(targets: LockedTargets, report: StateReport): Accepted | ApiError {
  const id = parseId(report.id)
  if (id === undefined) return notFound('device or service', report.id)
  const isDevice = targets.states.has(id)
  const deviceId = isDevice ? id : targets.deviceOfService.get(id)
  const before = deviceId === undefined ? undefined : targets.states.get(deviceId)
  if (deviceId === undefined || before === undefined) return notFound('device or service', report.id)
  if (report.deviceId !== undefined && report.deviceId !== deviceId) return notFound('service', report.id)
  const isConnected = targets.isConnected.has(deviceId)
  const rejection = findRejection(report, { deviceId, isDevice, before, isConnected })
  if (rejection !== undefined) return rejection
  if (isDevice) targets.states.set(id, report.state)
  else if (report.state === 'active') targets.states.set(deviceId, 'active')
  return { report, id, deviceId, before }
}

function findRejection(
  { state, ttl }: StateReport,
  device: { deviceId: string; isDevice: boolean; before: State; isConnected: boolean },
): Outcome {
  if (state === 'inactive')
    return device.isDevice && device.isConnected
      ? new ApiError('CONFLICT', `device ${device.deviceId} is connected, so it stays active until it disconnects`)
      : undefined
  return ttl !== undefined || device.before === 'active'
    ? undefined
    : new ApiError(
        'CONFLICT',
        `device ${device.deviceId} is not active, so its services cannot be active: connect the device again`,
      )
}

async function writeRound(
  db: Database,
  accountId: string,
  { accepted, source }: { accepted: readonly Accepted[]; source: EventSource },
): Promise<void> {
  if (accepted.length === 0) return
  const isDevice = ({ id, deviceId }: Accepted): boolean => id === deviceId
  const active = accepted.filter(({ report }) => report.state === 'active')
  const inactiveDevices = accepted.filter((each) => isDevice(each) && each.report.state === 'inactive')
  const services = accepted.filter((each) => !isDevice(each))

  const holds = timedHolds(active)
  if (holds.length > 0) await holdForTime(db, accountId, holds)
  if (active.length > 0) await activate(db, devicesOf(accountId, active), source)
  const touched = devicesOf(accountId, services).filter(
    ({ deviceId }) => !active.some((each) => each.deviceId === deviceId),
  )
  if (touched.length > 0) await touch(db, touched)
  if (services.length > 0) await saveServiceStates(db, accountId, { rows: services.map(serviceRow), source })
  if (inactiveDevices.length > 0) {
    const devices = devicesOf(accountId, inactiveDevices)
    await endTimedHolds(db, devices, 'all')
    // `findRejection` has rejected these reports for connected devices. Any remaining hold therefore belongs to a
    // process whose lease has expired.
    await releaseByProcess(db, devices, null)
    await touch(db, devices)
    await deactivateUnheld(db, devices, source)
  }
}

const devicesOf = (accountId: string, accepted: readonly Accepted[]): AddressedDevice[] =>
  distinctDevices(accepted.map(({ deviceId, report }) => ({ accountId, deviceId, address: report.address })))

/** Returns one hold for each device, with the longest `ttl` in the reports on the device and its services. */
function timedHolds(active: readonly Accepted[]): TimedHold[] {
  const holds = new Map<string, TimedHold>()
  for (const { id, deviceId, report } of active) {
    if (report.ttl === undefined) continue
    const other = holds.get(deviceId)
    holds.set(deviceId, {
      deviceId,
      seconds: Math.max(report.ttl, other?.seconds ?? 0),
      isExact: id === deviceId || other?.isExact === true,
    })
  }
  return [...holds.values()]
}

const serviceRow = ({ id, deviceId, before, report }: Accepted): ServiceStateRow => ({
  id,
  deviceId,
  state: report.state,
  seconds: report.state === 'active' ? (report.ttl ?? null) : null,
  address: report.address ?? null,
  followed: before,
})
