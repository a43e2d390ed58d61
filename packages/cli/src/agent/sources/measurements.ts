import { readdir, readFile, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import type { Sample } from './sample.ts'

const percent = (part: number, whole: number, step: number): Sample => {
  const value = whole === 0 ? 0 : (part / whole) * 100
  return { text: `${Math.round(value)}%`, measured: { value, step } }
}

/** Returns the percentage of a file system that is in use. Like df, excludes the blocks reserved for root. */
export async function diskOf(folder: string): Promise<Sample> {
  const { blocks, bfree, bavail } = await statfs(folder)
  const used = blocks - bfree
  return percent(used, used + bavail, 1)
}

export async function memory(): Promise<Sample> {
  const text = await readFile('/proc/meminfo', 'utf8')
  const kilobytes = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1])
  const [total, available] = [kilobytes('MemTotal'), kilobytes('MemAvailable')]
  if (!(total > 0 && available >= 0)) throw new Error('/proc/meminfo does not contain MemTotal and MemAvailable')
  return percent(total - available, total, 5)
}

const ZONES = '/sys/class/thermal'

/** Returns the highest temperature of the sensors with this name or, without a name, of all sensors. */
export async function temperature(name: string): Promise<Sample> {
  const zones = (await readdir(ZONES).catch(() => [])).filter((zone) => zone.startsWith('thermal_zone'))
  const sensors = await Promise.all(zones.map((zone) => readZone(join(ZONES, zone))))
  const read = sensors.filter((sensor) => sensor !== undefined)
  const chosen = name === '' ? read : read.filter((sensor) => sensor.name === name)
  if (chosen.length === 0) {
    const names = read.map((sensor) => sensor.name).join(', ')
    throw new Error(
      read.length === 0
        ? 'this machine has no readable temperature sensors'
        : `unknown sensor "${name}". Known sensors: ${names}`,
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
