import { applicationTypes } from '@muster/server/features/services/application-types.ts'
import type { ExpectedService, ServiceSettings } from '../services/service-settings.ts'
import { configError, type Entry } from './ini.ts'
import { durationOf, portOf, yesOrNo } from './setting-values.ts'

const NAME_LENGTH = 100
const MAX_EXPECTED = 50
const DAY_MS = 86_400_000

export function readServiceSettings(entries: readonly Entry[]): ServiceSettings {
  const settings: ServiceSettings = {
    every: 5_000,
    found: true,
    loopback: false,
    ignored: new Set(),
    forgottenAfter: 30 * DAY_MS,
    expected: [],
  }
  const expected: ExpectedService[] = []
  for (const entry of entries) {
    if (entry.key === 'poll') settings.every = durationOf(entry, { least: 1, most: 3_600 })
    else if (entry.key === 'find') settings.found = yesOrNo(entry)
    else if (entry.key === 'loopback') settings.loopback = yesOrNo(entry)
    else if (entry.key === 'ignore') settings.ignored = portsOf(entry)
    else if (entry.key === 'forget') settings.forgottenAfter = forgottenAfter(entry)
    else expected.push(expectedService(entry, expected))
  }
  return { ...settings, expected }
}

function portsOf(entry: Entry): Set<number> {
  const words = entry.value.split(/[\s,]+/).filter((word) => word !== '')
  return new Set(
    words.map((word) => {
      const port = portOf(word)
      if (port === undefined)
        throw configError(
          entry,
          `"ignore" must be a list of ports from 1 to 65535, such as "80 8080", but "${word}" is not a port`,
        )
      return port
    }),
  )
}

const forgottenAfter = (entry: Entry): number =>
  entry.value === 'never'
    ? Number.POSITIVE_INFINITY
    : durationOf(entry, { least: 60, most: 10 * 365 * 86_400, other: 'never' })

function expectedService(entry: Entry, before: readonly ExpectedService[]): ExpectedService {
  if (Array.from(entry.key).length > NAME_LENGTH)
    throw configError(entry, `a service name must have at most ${NAME_LENGTH} characters`)
  if (before.length === MAX_EXPECTED) throw configError(entry, `[services] can list at most ${MAX_EXPECTED} services`)
  const [, typeName = '', digits] = /^(.+?)(?::(\d+))?$/.exec(entry.value) ?? []
  const type = applicationTypes.find(({ name }) => name.toLowerCase() === typeName.toLowerCase())
  if (type === undefined) {
    const names = applicationTypes.map(({ name }) => name).join(', ')
    throw configError(
      entry,
      `"${entry.key}" is not a setting, and "${typeName}" is not a service type. Settings: poll, find, loopback, ignore, forget. Types: ${names}`,
    )
  }
  const port = digits === undefined ? (type.port ?? undefined) : portOf(digits)
  if (port === undefined)
    throw configError(entry, `"${entry.key}" requires a port from 1 to 65535, as in "${typeName}:8080"`)
  const same = before.find((each) => each.port === port && each.protocol === type.protocol)
  if (same !== undefined) {
    const taken = `${type.protocol.toUpperCase()} port ${port}`
    throw configError(entry, `"${same.name}" already uses ${taken}; set a different port for "${entry.key}"`)
  }
  return { name: entry.key, application: type.id, port, protocol: type.protocol }
}
