import { readdir, readFile, statfs } from 'node:fs/promises'
import { loadavg, networkInterfaces, release, uptime } from 'node:os'
import { join } from 'node:path'
import { version } from '@muster/server/version.ts'
import { counted } from '../../output/counted.ts'
import { firstLineOf } from './first-line.ts'
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
const ZONES = '/sys/class/thermal'

function roughly(seconds: number): string {
  if (seconds >= DAY) return counted(Math.floor(seconds / DAY), 'day')
  if (seconds >= HOUR) return counted(Math.floor(seconds / HOUR), 'hour')
  const minutes = Math.floor(seconds / MINUTE / 10) * 10
  return minutes === 0 ? 'under 10 minutes' : counted(minutes, 'minute')
}

const load = (value: number): Sample => ({ text: value.toFixed(1), measured: { value, step: 0.5 } })

async function memory(): Promise<Sample> {
  const text = await readFile('/proc/meminfo', 'utf8')
  const kilobytes = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1])
  const [total, available] = [kilobytes('MemTotal'), kilobytes('MemAvailable')]
  if (!(total > 0 && available >= 0)) throw new Error('/proc/meminfo does not contain both MemTotal and MemAvailable')
  return percent(total - available, total, 5)
}

/** Returns the percentage of a file system that is in use. Like df, excludes the blocks reserved for root. */
async function diskOf(folder: string): Promise<Sample> {
  const { blocks, bfree, bavail } = await statfs(folder)
  const used = blocks - bfree
  return percent(used, used + bavail, 1)
}

const percent = (part: number, whole: number, step: number): Sample => {
  const value = whole === 0 ? 0 : (part / whole) * 100
  return { text: `${Math.round(value)}%`, measured: { value, step } }
}

/** Returns the highest temperature of the sensors with this name or, if it is '', of all. Throws if there are none. */
async function temperature(name: string): Promise<Sample> {
  const zones = (await readdir(ZONES).catch(() => [])).filter((zone) => zone.startsWith('thermal_zone'))
  const sensors = await Promise.all(zones.map((zone) => readZone(join(ZONES, zone))))
  const read = sensors.filter((sensor) => sensor !== undefined)
  const chosen = name === '' ? read : read.filter((sensor) => sensor.name === name)
  if (chosen.length === 0) {
    const names = read.map((sensor) => sensor.name).join(', ')
    throw new Error(
      read.length === 0
        ? 'this machine has no readable temperature sensors'
        : `no readable sensor has the name "${name}". Readable sensors: ${names}`,
    )
  }
  const value = Math.max(...chosen.map((sensor) => sensor.celsius))
  return { text: `${Math.round(value)} °C`, measured: { value, step: 2 } }
}

async function readZone(folder: string): Promise<{ name: string; celsius: number } | undefined> {
  try {
    const [name, milli] = await Promise.all([
      readFile(join(folder, 'type'), 'utf8'),
      readFile(join(folder, 'temp'), 'utf8'),
    ])
    return { name: name.trim(), celsius: Number(milli) / 1_000 }
  } catch {
    // Ignore the sensor, because some sensors cannot be read while they are suspended.
    return undefined
  }
}

function address(): string {
  const all = Object.values(networkInterfaces()).flatMap((each) => each ?? [])
  const outer = all.filter(({ internal, address }) => !internal && !address.startsWith('fe80:'))
  const found = outer.find(({ family }) => family === 'IPv4') ?? outer[0]
  if (found === undefined)
    throw new Error('this machine has no addresses except loopback and IPv6 link-local addresses')
  return found.address
}
