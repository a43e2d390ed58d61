import { flattenAttributes } from '../csv/device-row.ts'
import type { CsvProblem } from '../csv/rfc-4180.ts'
import { fieldNames } from '../fields.ts'
import type { Device } from './device.ts'
import { type Difference, findDifference, isEmpty } from './difference.ts'
import { pairByContent } from './pair-by-content.ts'
import type { WantedDevice } from './validate-row.ts'

export interface Creation {
  wanted: WantedDevice
  /** Whether the import can find the device by its hardware ID or name if the response is lost. */
  findable: boolean
}

export interface Update {
  wanted: WantedDevice
  device: Device
  difference: Difference
}

export interface Plan {
  creations: Creation[]
  updates: Update[]
  unchanged: WantedDevice[]
  problems: CsvProblem[]
}

/** Candidate devices for the rows, keyed by hardware ID and by name. */
export interface KnownDevices {
  byHardwareId: ReadonlyMap<string, Device>
  /** All devices that have the same name as a row without a hardware ID. */
  byName: ReadonlyMap<string, readonly Device[]>
}

/** Matches each row with a device by hardware ID or, if the row has no hardware ID, by name. */
export function makePlan(rows: readonly WantedDevice[], known: KnownDevices): Plan {
  const plan: Plan = { creations: [], updates: [], unchanged: [], problems: [] }
  const claimed = new Set<string>()
  const withHardwareId = rows.filter((row) => row.hardwareId !== null)
  const withNameOnly = rows.filter((row) => row.hardwareId === null)
  planByHardwareId(plan, withHardwareId, known, claimed)
  planByName(plan, withNameOnly, known, claimed)
  return plan
}

function planByHardwareId(plan: Plan, rows: WantedDevice[], known: KnownDevices, claimed: Set<string>): void {
  const lines = new Map<string, number>()
  for (const wanted of rows) {
    const hardwareId = wanted.hardwareId as string
    const earlier = lines.get(hardwareId)
    if (earlier !== undefined) {
      plan.problems.push({
        line: wanted.line,
        reason: `hardwareId ${JSON.stringify(hardwareId)} is already on line ${earlier}; each row must have a different hardwareId`,
      })
      continue
    }
    lines.set(hardwareId, wanted.line)
    const device = known.byHardwareId.get(hardwareId)
    if (device === undefined) {
      plan.creations.push({ wanted, findable: true })
    } else {
      claimed.add(device.id)
      planChange(plan, wanted, device)
    }
  }
}

function planByName(plan: Plan, rows: WantedDevice[], known: KnownDevices, claimed: ReadonlySet<string>): void {
  for (const [name, ofName] of Map.groupBy(rows, (row) => row.name)) {
    // Exclude devices that another row identifies by hardware ID, because they belong to that row.
    const unclaimed = (known.byName.get(name) ?? []).filter(({ id }) => !claimed.has(id))
    // Prefer the device with the fewest additional values, because a row can omit values and so match several devices.
    const devices = unclaimed.sort((one, other) => countDetails(one) - countDetails(other))
    const pairs = pairByContent(ofName, devices, isUnchanged)
    plan.unchanged.push(...pairs.same.map(([wanted]) => wanted))
    for (const [wanted, device] of pairs.changed) planChange(plan, wanted, device)
    const findable = ofName.length === 1 && !known.byName.has(name)
    plan.creations.push(...pairs.added.map((wanted) => ({ wanted, findable })))
    for (const { line } of pairs.ambiguous) plan.problems.push({ line, reason: ambiguous(name, ofName, devices) })
  }
}

function countDetails(device: Device): number {
  const fields = fieldNames.filter((name) => device[name] !== null)
  return fields.length + device.services.length + flattenAttributes(device.attributes).size
}

function isUnchanged(wanted: WantedDevice, device: Device): boolean {
  try {
    return isEmpty(findDifference(wanted, device))
  } catch {
    return false
  }
}

function ambiguous(name: string, rows: readonly WantedDevice[], devices: readonly Device[]): string {
  const who = `${devices.length} device${devices.length === 1 ? '' : 's'} and ${rows.length} row${rows.length === 1 ? '' : 's'}`
  return `${who} have the name ${JSON.stringify(name)}, so the row is ambiguous; add a hardwareId`
}

function planChange(plan: Plan, wanted: WantedDevice, device: Device): void {
  try {
    const difference = findDifference(wanted, device)
    if (isEmpty(difference)) plan.unchanged.push(wanted)
    else plan.updates.push({ wanted, device, difference })
  } catch (error) {
    plan.problems.push({ line: wanted.line, reason: (error as Error).message })
  }
}
