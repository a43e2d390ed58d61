import type { Database } from '../../db/database.ts'
import { ApiError, badInput, notFound } from '../../errors.ts'
import type { State } from '../devices/device.ts'
import { parseId } from '../devices/device-id.ts'
import type { EventSource } from '../events/event-types.ts'
import {
  activate,
  deactivateUnheld,
  endTimedHolds,
  findHolders,
  holdForTime,
  lockDevices,
  type Seen,
  type TimedHold,
  touch,
} from './presence.queries.ts'
import { findDeviceIds, lockServices, type ServiceStateRow, saveServiceStates } from './service-states.queries.ts'

/** A report of the state of a device or service. */
export interface StateReport {
  /** Id of a device or a service, in upper or lower case. */
  id: string
  state: State
  /**
   * Seconds for which `active` is valid; the device of an active service stays active at least as long. A connected device omits
   * it: then the service is active until another report, or until its device becomes inactive.
   */
  ttl?: number | undefined
  /** Where the report came from. */
  address?: string | undefined
  /** The device that reports, if any: services of other devices are then not found. */
  deviceId?: string | undefined
}

type Outcome = ApiError | undefined

/**
 * Applies state reports of one account's devices and services, and returns the outcome of each. A rejected report changes
 * nothing. Several reports for one id are applied in order.
 */
export async function applyStateReports(
  transaction: Database,
  accountId: string,
  { reports, source }: { reports: readonly StateReport[]; source: EventSource },
): Promise<Outcome[]> {
  const known = await lockReported(transaction, accountId, reports)
  const outcomes: Outcome[] = []
  for (const round of roundsOf(reports)) {
    const judged = round.map((report) => judge(known, report))
    const accepted = judged.filter((each): each is Judged => !(each instanceof ApiError))
    await writeRound(transaction, accountId, { judged: accepted, source })
    outcomes.push(...judged.map((each) => (each instanceof ApiError ? each : undefined)))
  }
  return outcomes
}

/** Consecutive reports in which no id comes twice. */
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

/** The reported devices and services that exist, locked. Their states are updated after each round. */
interface Known {
  states: Map<string, State>
  deviceOfService: ReadonlyMap<string, string>
  isConnected: ReadonlySet<string>
}

async function lockReported(db: Database, accountId: string, reports: readonly StateReport[]): Promise<Known> {
  const ids = [...new Set(reports.flatMap(({ id }) => parseId(id) ?? []))]
  const deviceIds = await findDeviceIds(db, accountId, ids)
  const devices = await lockDevices(
    db,
    deviceIds.map((deviceId) => ({ accountId, deviceId })),
  )
  const states = new Map(devices.map(({ deviceId, state }) => [deviceId, state]))
  const areServices = ids.some((id) => !states.has(id))
  const services = areServices ? await lockServices(db, accountId, { ids, deviceIds: [...states.keys()] }) : []
  const holders = await findHolders(db, devices)
  return {
    states,
    deviceOfService: new Map(services.map(({ id, deviceId }) => [id, deviceId])),
    isConnected: new Set(holders.map(({ deviceId }) => deviceId)),
  }
}

interface Judged {
  report: StateReport
  id: string
  deviceId: string
  /** The device's previous state. */
  before: State
}

function judge(known: Known, report: StateReport): Judged | ApiError {
  const id = parseId(report.id)
  if (id === undefined) return notFound('device or service', report.id)
  const isDevice = known.states.has(id)
  const deviceId = isDevice ? id : known.deviceOfService.get(id)
  const before = deviceId === undefined ? undefined : known.states.get(deviceId)
  if (deviceId === undefined || before === undefined) return notFound('device or service', report.id)
  if (report.deviceId !== undefined && report.deviceId !== deviceId) return notFound('service', report.id)
  const refusal = refusalOf(report, { isDevice, before, isConnected: known.isConnected.has(deviceId), deviceId })
  if (refusal !== undefined) return refusal
  if (isDevice) known.states.set(id, report.state)
  else if (report.state === 'active') known.states.set(deviceId, 'active')
  return { report, id, deviceId, before }
}

function refusalOf(
  { state, ttl }: StateReport,
  device: { deviceId: string; isDevice: boolean; before: State; isConnected: boolean },
): Outcome {
  if (state === 'inactive') {
    return device.isDevice && device.isConnected
      ? new ApiError('CONFLICT', `device ${device.deviceId} is connected, so it stays active until it disconnects`)
      : undefined
  }
  if (ttl !== undefined) {
    return Number.isInteger(ttl) && ttl > 0
      ? undefined
      : badInput(`ttl must be a whole number of seconds, found ${ttl}`)
  }
  return device.before === 'active'
    ? undefined
    : new ApiError(
        'CONFLICT',
        `device ${device.deviceId} is not active: send a ttl to report active without a connection`,
      )
}

async function writeRound(
  db: Database,
  accountId: string,
  { judged, source }: { judged: readonly Judged[]; source: EventSource },
): Promise<void> {
  if (judged.length === 0) return
  const isDevice = ({ id, deviceId }: Judged): boolean => id === deviceId
  const present = judged.filter(({ report }) => report.state === 'active')
  const gone = judged.filter((each) => isDevice(each) && each.report.state === 'inactive')
  const services = judged.filter((each) => !isDevice(each))

  const holds = timedHolds(accountId, present)
  if (holds.length > 0) await holdForTime(db, holds)
  if (present.length > 0) await activate(db, seenDevices(accountId, present), source)
  const silent = seenDevices(accountId, services).filter(
    ({ deviceId }) => !present.some((each) => each.deviceId === deviceId),
  )
  if (silent.length > 0) await touch(db, silent)
  if (services.length > 0) await saveServiceStates(db, accountId, { rows: services.map(serviceRow), source })
  if (gone.length > 0) {
    const devices = seenDevices(accountId, gone)
    await endTimedHolds(db, devices, 'all')
    await touch(db, devices)
    await deactivateUnheld(db, devices, source)
  }
}

/** Each device once. */
function seenDevices(accountId: string, judged: readonly Judged[]): Seen[] {
  const byId = new Map(
    judged.map(({ deviceId, report }): [string, Seen] => [deviceId, { accountId, deviceId, address: report.address }]),
  )
  return [...byId.values()]
}

/** A device is held for its own ttl, and at least as long as one of its services. */
function timedHolds(accountId: string, present: readonly Judged[]): TimedHold[] {
  const holds = new Map<string, TimedHold>()
  for (const { id, deviceId, report } of present) {
    if (report.ttl === undefined) continue
    const other = holds.get(deviceId)
    holds.set(deviceId, {
      accountId,
      deviceId,
      seconds: Math.max(report.ttl, other?.seconds ?? 0),
      isExact: id === deviceId || other?.isExact === true,
    })
  }
  return [...holds.values()]
}

const serviceRow = ({ id, deviceId, before, report }: Judged): ServiceStateRow => ({
  id,
  deviceId,
  state: report.state,
  seconds: report.state === 'active' ? (report.ttl ?? null) : null,
  address: report.address ?? null,
  followed: before,
})
