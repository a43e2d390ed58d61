import { join } from 'node:path'
import { readJsonFile, writeJsonFile } from '../state/json-file.ts'
import type { RunningService } from './detect.ts'
import type { ServiceSettings } from './service-settings.ts'

export interface BookedService extends RunningService {
  /** It stood in the configuration when it was entered. */
  isExpected: boolean
  /** When it was first seen gone, in milliseconds; null while it listens. */
  goneSince: number | null
}

/** The services that this machine has or had, listening or not. It outlasts the agent. */
export interface ServiceBook {
  all(): readonly BookedService[]
  /** Enters what listens now; answers what changed. */
  enter(running: readonly RunningService[], now: number): Promise<ServiceChange[]>
}

export interface ServiceChange {
  service: BookedService
  what: 'new' | 'up' | 'down' | 'forgotten'
}

/** What the API allows a device. */
export const MOST_SERVICES = 100

export async function openServiceBook(folder: string, settings: ServiceSettings): Promise<ServiceBook> {
  const file = join(folder, 'services.json')
  let services = (await readJsonFile(file, readBook)) ?? []
  return {
    all: () => services,
    async enter(running, now) {
      const { entered, changes } = enterInto(services, running, { settings, now })
      const hasChanged = changes.length > 0 || JSON.stringify(entered) !== JSON.stringify(services)
      services = entered
      if (hasChanged) await writeJsonFile(file, services)
      return changes
    },
  }
}

function readBook(json: unknown): BookedService[] | undefined {
  if (!Array.isArray(json)) return undefined
  const isWhole = json.every(
    (each) =>
      typeof each?.name === 'string' &&
      typeof each.isExpected === 'boolean' &&
      Number.isInteger(each.application) &&
      Number.isInteger(each.port) &&
      (each.goneSince === null || typeof each.goneSince === 'number'),
  )
  return isWhole ? json : undefined
}

interface Entering {
  settings: ServiceSettings
  now: number
}

function enterInto(
  before: readonly BookedService[],
  running: readonly RunningService[],
  { settings, now }: Entering,
): { entered: BookedService[]; changes: ServiceChange[] } {
  const changes: ServiceChange[] = []
  const tell = (what: ServiceChange['what'], service: BookedService): BookedService => {
    changes.push({ what, service })
    return service
  }
  const entered: BookedService[] = []
  for (const old of before) {
    const expected = settings.expected.find(({ name }) => name === old.name)
    const present = running.find(({ name }) => name === old.name)
    const isExpected = expected !== undefined
    if (present !== undefined) {
      const up = { ...present, isExpected, goneSince: null }
      entered.push(old.goneSince === null ? up : tell('up', up))
    } else if (isForgotten(old, settings, now)) {
      tell('forgotten', { ...old, isExpected })
    } else {
      const port = expected?.port ?? old.port
      const application = expected?.application ?? old.application
      const down = { ...old, port, application, isExpected, goneSince: old.goneSince ?? now }
      entered.push(old.goneSince === null ? tell('down', down) : down)
    }
  }
  const isNew = ({ name }: RunningService): boolean => !entered.some((each) => each.name === name)
  // What is expected is the device's from the start, up or not.
  for (const { name, application, port } of settings.expected.filter(isNew)) {
    const isUp = running.some((each) => each.name === name)
    entered.push(tell('new', { name, application, port, isExpected: true, goneSince: isUp ? null : now }))
  }
  for (const service of running.filter(isNew)) {
    if (entered.length < MOST_SERVICES) entered.push(tell('new', { ...service, isExpected: false, goneSince: null }))
  }
  return { entered, changes }
}

/** Gone for long, or not wanted any more by the configuration. */
function isForgotten({ name, port, isExpected, goneSince }: BookedService, settings: ServiceSettings, now: number) {
  if (settings.expected.some((each) => each.name === name)) return false
  if (isExpected || !settings.found || settings.ignored.has(port)) return true
  return goneSince !== null && now - goneSince >= settings.forgottenAfter
}
