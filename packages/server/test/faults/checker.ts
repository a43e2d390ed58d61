import type { Entry } from './ledger.ts'
import type { Rig } from './rig.ts'
import { context } from './writers.ts'

export interface Findings {
  acknowledged: number
  unknown: number
  /** Acknowledged changes without an event. */
  lost: number[]
  /** Changes with more than one event. */
  doubled: number[]
  /** Acknowledged values that are missing although no later value could have replaced them. */
  overwritten: number[]
  /** The number of changes that are in events although no client sent them. */
  unexpected: number
  /** The IDs of the events for all changes. The webhook must receive these events. */
  events: string[]
}

interface Event {
  id: string
  type: string
  data: { hardwareId?: string; changes?: Record<string, { new: string | null }> }
}

/** Compares the acknowledged changes with the data that the API returns. */
export async function check(rig: Rig, entries: readonly Entry[]): Promise<Findings> {
  const events = await everyEvent(rig)
  const found = Map.groupBy(events, numberOf)
  const sent = new Set(entries.map(({ change }) => change.number))
  const acknowledged = entries.filter(({ outcome }) => outcome === 'acknowledged').map(({ change }) => change.number)
  return {
    acknowledged: acknowledged.length,
    unknown: entries.length - acknowledged.length,
    lost: acknowledged.filter((number) => !found.has(number)),
    doubled: [...sent].filter((number) => (found.get(number)?.length ?? 0) > 1),
    overwritten: await overwritten(rig, entries),
    unexpected: [...found.keys()].filter((number) => !sent.has(number)).length,
    events: events.map(({ id }) => id),
  }
}

const numberOf = ({ data }: Event): number =>
  Number(data.hardwareId ?? Object.values(data.changes ?? {}).map((change) => change.new)[0])

async function everyEvent(rig: Rig): Promise<Event[]> {
  const events: Event[] = []
  for (let after = ''; ; ) {
    const page = `size: 1000, types: [ATTRIBUTE_CHANGE, DEVICE_REGISTER], minDate: "2000-01-01" ${after}`
    const { login } = await executeOperation(
      rig,
      `{ login { events(${page}) { items { id type data } hasMore cursor } } }`,
    )
    events.push(...(login.events.items as Event[]).filter(({ data }) => data.hardwareId !== null))
    if (!login.events.hasMore) return events
    after = `, after: "${login.events.cursor}"`
  }
}

/**
 * Returns acknowledged values that are missing. The database must contain the last acknowledged value, or the value of
 * a change whose outcome is unknown.
 */
async function overwritten(rig: Rig, entries: readonly Entry[]): Promise<number[]> {
  const { values, hardwareIds } = await everyDevice(rig)
  const last = new Map<string, number>()
  const unknown = new Set<string>()
  const wrong: number[] = []
  for (const { change, outcome } of entries) {
    const { number, kind, device, name } = change
    if (kind === 'register') {
      if (outcome === 'acknowledged' && !hardwareIds.has(String(number))) wrong.push(number)
      continue
    }
    const key = `${device} ${kind} ${name}`
    if (outcome === 'acknowledged') last.set(key, number)
    else unknown.add(`${key} ${number}`)
  }
  for (const [key, number] of last) {
    const value = values.get(key)
    if (value !== String(number) && !unknown.has(`${key} ${value}`)) wrong.push(number)
  }
  return wrong
}

async function everyDevice(rig: Rig): Promise<{ values: Map<string, string>; hardwareIds: Set<string> }> {
  const values = new Map<string, string>()
  const hardwareIds = new Set<string>()
  for (let after = ''; ; ) {
    const members = `id hardwareId base: attributes context: attributes(context: "${context}")`
    const { login } = await executeOperation(
      rig,
      `{ login { devices(size: 1000 ${after}) { items { ${members} } hasMore cursor } } }`,
    )
    for (const device of login.devices.items) {
      if (device.hardwareId !== null) hardwareIds.add(device.hardwareId)
      for (const [name, value] of Object.entries(device.base)) values.set(`${device.id} base ${name}`, String(value))
      for (const [name, value] of Object.entries(device.context))
        values.set(`${device.id} context ${name}`, String(value))
    }
    if (!login.devices.hasMore) return { values, hardwareIds }
    after = `, after: "${login.devices.cursor}"`
  }
}

/**
 * Executes an operation and returns its data. Retries if no response arrives, or if the status is 429 or 5xx. Throws
 * for any other failure.
 */
// biome-ignore lint/suspicious/noExplicitAny: the callers know the shape of the responses
export async function executeOperation(rig: Rig, document: string): Promise<any> {
  for (;;) {
    const response = await rig.send(document).catch(() => undefined)
    if (response?.status === 200 && response.body.errors === undefined) return response.body.data
    if (response !== undefined && response.status < 500 && response.status !== 429)
      throw new Error(JSON.stringify(response.body))
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
