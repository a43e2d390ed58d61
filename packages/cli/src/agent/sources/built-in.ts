import { loadavg, networkInterfaces, release, uptime } from 'node:os'
import { version } from '@muster/server/version.ts'
import { firstLineOf } from './first-line.ts'
import { diskOf, memory, temperature } from './measurements.ts'
import type { Sample } from './sample.ts'

interface BuiltIn {
  /** Description of the argument after the source name. A trailing `?` marks an optional argument. */
  takes?: string
  read(argument: string): Promise<Sample>
}

export const builtIns: Readonly<Record<string, BuiltIn>> = {
  uptime: { read: async () => ({ text: roughly(uptime()) }) },
  load: { read: async () => load(loadavg()[0] ?? 0) },
  memory: { read: memory },
  disk: { takes: 'folder such as /', read: diskOf },
  temperature: { takes: 'sensor name?', read: temperature },
  address: { read: async () => ({ text: address() }) },
  kernel: { read: async () => ({ text: release() }) },
  agent: { read: async () => ({ text: version }) },
  file: {
    takes: 'file whose first nonempty line is the value',
    read: async (path) => ({ text: await firstLineOf(path) }),
  },
  text: { takes: 'string to use as the value', read: async (text) => ({ text }) },
}

const MINUTE = 60
const HOUR = 3_600
const DAY = 86_400

function roughly(seconds: number): string {
  if (seconds >= DAY) return count(Math.floor(seconds / DAY), 'day')
  if (seconds >= HOUR) return count(Math.floor(seconds / HOUR), 'hour')
  const minutes = Math.floor(seconds / MINUTE / 10) * 10
  return minutes === 0 ? 'under 10 minutes' : count(minutes, 'minute')
}

const count = (number: number, unit: string): string => `${number} ${unit}${number === 1 ? '' : 's'}`

const load = (value: number): Sample => ({ text: value.toFixed(1), measured: { value, step: 0.5 } })

function address(): string {
  const all = Object.values(networkInterfaces()).flatMap((each) => each ?? [])
  const outer = all.filter(({ internal, address }) => !internal && !address.startsWith('fe80:'))
  const found = outer.find(({ family }) => family === 'IPv4') ?? outer[0]
  if (found === undefined)
    throw new Error('this machine has no addresses except loopback and IPv6 link-local addresses')
  return found.address
}
