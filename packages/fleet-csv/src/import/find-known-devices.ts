import type { Api } from '../api.ts'
import { runConcurrently } from '../concurrency.ts'
import { countDevices, listDevices } from '../list-devices.ts'
import { type Device, deviceSelection } from './device.ts'
import type { KnownDevices } from './match-devices.ts'
import type { WantedDevice } from './validate-row.ts'

/** The API allows at most this many aliases of one field in a selection. */
const ALIASES = 15
const CONCURRENCY = 4

export interface FindOptions {
  signal?: AbortSignal | undefined
  /** Receives the number of devices read so far. */
  onRead?: ((devices: number) => void) | undefined
}

type SearchKeys = Pick<WantedDevice, 'name' | 'hardwareId'>

/**
 * Looks up only the devices of the rows if the account has many more devices than there are rows. Otherwise, reads all
 * devices.
 */
export async function findKnownDevices(
  api: Api,
  rows: readonly SearchKeys[],
  { signal, onRead }: FindOptions = {},
): Promise<KnownDevices> {
  const hardwareIds = new Set(rows.flatMap(({ hardwareId }) => hardwareId ?? []))
  const names = new Set(rows.filter(({ hardwareId }) => hardwareId === null).map(({ name }) => name))
  const found = collector(hardwareIds, names, onRead)
  // Look up devices only if that is faster: a page of 1,000 devices takes about as long as 100 lookups.
  if ((hardwareIds.size + names.size) * 10 < (await countDevices(api, signal))) {
    await lookUpHardwareIds(api, [...hardwareIds], found.add, signal)
    await lookUpNames(api, [...names], found.add, signal)
  } else {
    for await (const page of listDevices<Device>(api, { select: deviceSelection, signal })) page.forEach(found.add)
  }
  return found
}

function collector(
  hardwareIds: ReadonlySet<string>,
  names: ReadonlySet<string>,
  onRead: (devices: number) => void = () => {},
) {
  const byHardwareId = new Map<string, Device>()
  const byName = new Map<string, Device[]>()
  const seen = new Set<string>()
  const add = (device: Device): void => {
    if (seen.has(device.id)) return
    seen.add(device.id)
    onRead(seen.size)
    if (device.hardwareId !== null && hardwareIds.has(device.hardwareId)) byHardwareId.set(device.hardwareId, device)
    if (!names.has(device.name)) return
    const ofName = byName.get(device.name)
    if (ofName === undefined) byName.set(device.name, [device])
    else ofName.push(device)
  }
  return { byHardwareId, byName, add }
}

async function lookUpHardwareIds(
  api: Api,
  ids: string[],
  add: (device: Device) => void,
  signal?: AbortSignal,
): Promise<void> {
  const groups = Array.from({ length: Math.ceil(ids.length / ALIASES) }, (_, group) =>
    ids.slice(group * ALIASES, (group + 1) * ALIASES),
  )
  await runConcurrently(groups, CONCURRENCY, async (group) => {
    const declared = group.map((_, index) => `$h${index}: String!`).join(', ')
    const searches = group.map(
      (_, index) => `d${index}: devices(hardwareId: $h${index}, size: 1) { items { ...Found } }`,
    )
    const document = `query Find(${declared}) { login { ${searches.join(' ')} } } fragment Found on Device { ${deviceSelection} }`
    const variables = Object.fromEntries(group.map((hardwareId, index) => [`h${index}`, hardwareId]))
    const { login } = await api.query<Found>(document, variables, { signal })
    for (const { items } of Object.values(login)) items.forEach(add)
  })
}

interface Found {
  login: Record<string, { items: Device[] }>
}

/**
 * Looks up devices by name. Calls `add` only for exact matches, because the API matches parts of names, ignoring case.
 */
async function lookUpNames(
  api: Api,
  names: string[],
  add: (device: Device) => void,
  signal?: AbortSignal,
): Promise<void> {
  await runConcurrently(names, CONCURRENCY, async (name) => {
    for await (const page of listDevices<Device>(api, { filter: { name }, select: deviceSelection, signal })) {
      for (const device of page) if (device.name === name) add(device)
    }
  })
}
