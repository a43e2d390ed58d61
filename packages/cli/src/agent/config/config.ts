import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { usageError } from '../../errors/cli-error.ts'
import type { ServiceSettings } from '../services/service-settings.ts'
import { type Entry, parseIni } from './ini.ts'
import { readServiceSettings } from './read-service-settings.ts'
import { type ReportedValue, readReported } from './reported-values.ts'
import { assertKnown, durationOf, textOf, urlOf } from './setting-values.ts'

export interface AgentConfig {
  /** Path of the configuration file, or undefined if no file exists. */
  file: string | undefined
  url: string | undefined
  broker: string | undefined
  /** Path of a PEM file with certificates to trust in addition to the Node.js defaults. */
  ca: string | undefined
  name: string | undefined
  platform: string | undefined
  services: ServiceSettings
  values: readonly ReportedValue[]
}

const sectionNames = ['services', 'status', 'attributes']
const general = ['url', 'broker', 'ca', 'name', 'platform', 'interval', 'timeout']

/**
 * Reads the file `named`, the file that MUSTER_AGENT_CONFIG names, or the first default file that exists, in this order
 * of precedence. Only the default files may be missing.
 */
export async function readAgentConfig(named: string | undefined, env = process.env): Promise<AgentConfig> {
  const file = named ?? (env.MUSTER_AGENT_CONFIG || undefined)
  for (const path of file === undefined ? defaultPaths(env) : [file]) {
    const text = await readIfExists(path)
    if (text !== undefined) return parseAgentConfig(text, path)
  }
  if (file !== undefined) {
    const hint =
      named === undefined
        ? 'Set MUSTER_AGENT_CONFIG to the path of an existing file.'
        : 'Pass the path of an existing file with --config.'
    throw usageError(`the configuration file ${file} does not exist`, hint)
  }
  return { ...parseAgentConfig('', ''), file: undefined }
}

const defaultPaths = (env: NodeJS.ProcessEnv): string[] => [
  '/etc/muster/agent.ini',
  join(env.XDG_CONFIG_HOME || join(env.HOME || homedir(), '.config'), 'muster', 'agent.ini'),
]

async function readIfExists(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw usageError(`cannot read the configuration file ${file}: ${message}`)
  }
}

export function parseAgentConfig(text: string, file: string): AgentConfig {
  const sections = parseIni(text, file, sectionNames)
  const top = sections.get('') ?? []
  assertKnown(top, general, '')
  const read = <Value>(key: string, reading: (entry: Entry) => Value): Value | undefined => {
    const entry = top.find((each) => each.key === key)
    return entry === undefined ? undefined : reading(entry)
  }
  const every = read('interval', (entry) => durationOf(entry, { least: 1, most: 86_400 })) ?? 60_000
  const timeout = read('timeout', (entry) => durationOf(entry, { least: 1, most: 600 })) ?? 10_000
  return {
    file,
    url: read('url', (entry) => urlOf(entry, ['http', 'https'])),
    broker: read('broker', (entry) => urlOf(entry, ['mqtt', 'mqtts', 'ws', 'wss'])),
    ca: read('ca', (entry) => textOf(entry, 4_096)),
    name: read('name', (entry) => textOf(entry, 100)),
    platform: read('platform', (entry) => textOf(entry, 200)),
    services: readServiceSettings(sections.get('services') ?? []),
    values: readReported(sections, { every, timeout }),
  }
}
