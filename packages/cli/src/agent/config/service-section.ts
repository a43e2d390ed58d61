import { applicationTypes } from '@muster/server/features/services/application-types.ts'
import type { ExpectedService, ServiceSettings } from '../services/service-settings.ts'
import { type Entry, wrong } from './ini.ts'
import { durationOf, portOf, yesOrNo } from './setting.ts'

const NAME_LENGTH = 100
const MOST_EXPECTED = 50
const DAY_MS = 86_400_000

/** The section [services]: four settings, and any number of `name = type[:port]`. */
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
      if (port === undefined) throw wrong(entry, `ignore is a list of ports such as "80 8080", and "${word}" is none`)
      return port
    }),
  )
}

const forgottenAfter = (entry: Entry): number =>
  entry.value === 'never' ? Number.POSITIVE_INFINITY : durationOf(entry, { least: 60, most: 10 * 365 * 86_400 })

function expectedService(entry: Entry, before: readonly ExpectedService[]): ExpectedService {
  if (Array.from(entry.key).length > NAME_LENGTH)
    throw wrong(entry, `a service's name has at most ${NAME_LENGTH} characters`)
  if (before.length === MOST_EXPECTED) throw wrong(entry, `there are at most ${MOST_EXPECTED} services`)
  const [, typeName = '', digits] = /^(.+?)(?::(\d+))?$/.exec(entry.value) ?? []
  const type = applicationTypes.find(({ name }) => name.toLowerCase() === typeName.toLowerCase())
  if (type === undefined) {
    const settings = '"poll", "find", "loopback", "ignore" and "forget" are settings, any other line is'
    const names = applicationTypes.map(({ name }) => name).join(', ')
    throw wrong(entry, `${settings} "name = type:port", and "${typeName}" is no type; types are ${names}`)
  }
  const port = digits === undefined ? (type.port ?? undefined) : portOf(digits)
  if (port === undefined) throw wrong(entry, `${entry.key} needs a port from 1 to 65535, such as "${typeName}:8080"`)
  const same = before.find((each) => each.port === port && each.protocol === type.protocol)
  if (same !== undefined) throw wrong(entry, `port ${port} is that of "${same.name}" already`)
  return { name: entry.key, application: type.id, port, protocol: type.protocol }
}
