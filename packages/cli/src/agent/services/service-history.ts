import { join } from 'node:path'
import { readJsonFile, writeJsonFile } from '../state/json-file.ts'
import type { RunningService } from './detect-services.ts'
import type { ServiceSettings } from './service-settings.ts'

export interface TrackedService extends RunningService {
  isExpected: boolean
  /** When the agent first found that the service was not listening (Unix milliseconds). Null while it is listening. */
  goneSince: number | null
}

export interface ServiceHistory {
  all(): readonly TrackedService[]
  /** Records the services that are listening at `now`, in Unix milliseconds, and returns the changes. */
  update(running: readonly RunningService[], now: number): Promise<ServiceChange[]>
}

export interface ServiceChange {
  service: TrackedService
  what: 'new' | 'up' | 'down' | 'forgotten'
}

/** The API's limit on services per device. */
const MAX_SERVICES = 100

export async function openServiceHistory(folder: string, settings: ServiceSettings): Promise<ServiceHistory> {
  const file = join(folder, 'services.json')
  let services = (await readJsonFile(file, readHistory)) ?? []
  return {
    all: () => services,
    async update(running, now) {
      const { updated, changes } = applyUpdate(services, running, { settings, now })
      const hasChanged = changes.length > 0 || JSON.stringify(updated) !== JSON.stringify(services)
      services = updated
      if (hasChanged) await writeJsonFile(file, services)
      return changes
    },
  }
}

function readHistory(json: unknown): TrackedService[] | undefined {
  if (!Array.isArray(json)) return undefined
  const isValid = json.every(
    (each) =>
      typeof each?.name === 'string' &&
      typeof each.isExpected === 'boolean' &&
      Number.isInteger(each.application) &&
      Number.isInteger(each.port) &&
      (each.goneSince === null || typeof each.goneSince === 'number'),
  )
  return isValid ? json : undefined
}

function applyUpdate(
  before: readonly TrackedService[],
  running: readonly RunningService[],
  { settings, now }: { settings: ServiceSettings; now: number },
): { updated: TrackedService[]; changes: ServiceChange[] } {
  const changes: ServiceChange[] = []
  const recordChange = (what: ServiceChange['what'], service: TrackedService): TrackedService => {
    changes.push({ what, service })
    return service
  }
  const updated: TrackedService[] = []
  for (const old of before) {
    const expected = settings.expected.find(({ name }) => name === old.name)
    const present = running.find(({ name }) => name === old.name)
    const isExpected = expected !== undefined
    if (present !== undefined) {
      const up = { ...present, isExpected, goneSince: null }
      updated.push(old.goneSince === null ? up : recordChange('up', up))
    } else if (isForgotten(old, settings, now)) {
      recordChange('forgotten', { ...old, isExpected })
    } else {
      const port = expected?.port ?? old.port
      const application = expected?.application ?? old.application
      const down = { ...old, port, application, isExpected, goneSince: old.goneSince ?? now }
      updated.push(old.goneSince === null ? recordChange('down', down) : down)
    }
  }
  const isNew = ({ name }: RunningService): boolean => !updated.some((each) => each.name === name)
  // Expected services belong to the device from the start, whether or not they are listening.
  for (const { name, application, port } of settings.expected.filter(isNew)) {
    const isUp = running.some((each) => each.name === name)
    updated.push(recordChange('new', { name, application, port, isExpected: true, goneSince: isUp ? null : now }))
  }
  for (const service of running.filter(isNew)) {
    if (updated.length < MAX_SERVICES)
      updated.push(recordChange('new', { ...service, isExpected: false, goneSince: null }))
  }
  return { updated, changes }
}

function isForgotten({ name, port, isExpected, goneSince }: TrackedService, settings: ServiceSettings, now: number) {
  if (settings.expected.some((each) => each.name === name)) return false
  if (isExpected || !settings.found || settings.ignored.has(port)) return true
  return goneSince !== null && now - goneSince >= settings.forgottenAfter
}
