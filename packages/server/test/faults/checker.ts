import type { Entry } from './ledger.ts'
import type { Rig } from './rig.ts'
import { context } from './writers.ts'

export interface Findings {
  acknowledged: number
  unknown: number
  /** Acknowledged changes whose event is not there. */
  lost: number[]
  /** Changes that are there more than once. */
  doubled: number[]
  /** Acknowledged values that are not there, nor another that may be in their place. */
  overwritten: number[]
  /** Events of changes that nobody meant. */
  foreign: number
  /** Events, all of which the webhook asks for. */
  events: string[]
}

interface Event {
  id: string
  type: string
  data: { hardwareId?: string; changes?: Record<string, { new: string | null }> }
}

/** Compares what was acknowledged with what the API has. */
export async function check(rig: Rig, entries: readonly Entry[]): Promise<Findings> {
  const events = await everyEvent(rig)
  const found = Map.groupBy(events, numberOf)
  const meant = new Set(entries.map(({ change }) => change.number))
  const acknowledged = entries.filter(({ outcome }) => outcome === 'acknowledged').map(({ change }) => change.number)
  return {
    acknowledged: acknowledged.length,
    unknown: entries.length - acknowledged.length,
    lost: acknowledged.filter((number) => !found.has(number)),
    doubled: [...meant].filter((number) => (found.get(number)?.length ?? 0) > 1),
    overwritten: await overwritten(rig, entries),
    foreign: [...found.keys()].filter((number) => !meant.has(number)).length,
    events: events.map(({ id }) => id),
  }
}

const numberOf = ({ data }: Event): number =>
  Number(data.hardwareId ?? Object.values(data.changes ?? {}).map((change) => change.new)[0])

async function everyEvent(rig: Rig): Promise<Event[]> {
  const events: Event[] = []
  for (let after = ''; ; ) {
    const page = `size: 1000, types: [ATTRIBUTE_CHANGE, DEVICE_REGISTER], minDate: "2000-01-01" ${after}`
    const { login } = await ask(rig, `{ login { events(${page}) { items { id type data } hasMore cursor } } }`)
    events.push(...(login.events.items as Event[]).filter(({ data }) => data.hardwareId !== null))
    if (!login.events.hasMore) return events
    after = `, after: "${login.events.cursor}"`
  }
}

/** Each place has one writer: the last value acknowledged must be there, or one of which nobody knows when it was written. */
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
    const place = `${device} ${kind} ${name}`
    if (outcome === 'acknowledged') last.set(place, number)
    else unknown.add(`${place} ${number}`)
  }
  for (const [place, number] of last) {
    const value = values.get(place)
    if (value !== String(number) && !unknown.has(`${place} ${value}`)) wrong.push(number)
  }
  return wrong
}

async function everyDevice(rig: Rig): Promise<{ values: Map<string, string>; hardwareIds: Set<string> }> {
  const values = new Map<string, string>()
  const hardwareIds = new Set<string>()
  for (let after = ''; ; ) {
    const members = `id hardwareId base: attributes context: attributes(context: "${context}")`
    const { login } = await ask(
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

/** The data of an operation, as soon as there is a server again that answers it. */
// biome-ignore lint/suspicious/noExplicitAny: what a document answers is known to who asks
export async function ask(rig: Rig, document: string): Promise<any> {
  for (;;) {
    const answer = await rig.send(document).catch(() => undefined)
    if (answer?.status === 200 && answer.body.errors === undefined) return answer.body.data
    if (answer !== undefined && answer.status < 500 && answer.status !== 429)
      throw new Error(JSON.stringify(answer.body))
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
