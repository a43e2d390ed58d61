import { usageError } from '../errors/cli-error.ts'
import { type AgentConfig, readAgentConfig } from './config/config.ts'
import { stateFolder } from './state/state-folder.ts'

export interface AgentOptions {
  json?: boolean
  url?: string
  code?: string
  config?: string
  state?: string
  broker?: string
}

export interface AgentSettings {
  config: AgentConfig
  folder: string
  /** Server URL from --url, MUSTER_URL, or the configuration, in this order of precedence. */
  url: string | undefined
  code: string | undefined
  broker: string | undefined
}

export async function readSettings(options: AgentOptions, env = process.env): Promise<AgentSettings> {
  const config = await readAgentConfig(options.config, env)
  const url = options.url ?? (env.MUSTER_URL || undefined) ?? config.url
  if (url !== undefined) assertUrl(url)
  return {
    config,
    folder: stateFolder(options.state, env),
    url,
    code: options.code ?? (env.MUSTER_CODE || undefined),
    broker: options.broker ?? config.broker,
  }
}

function assertUrl(url: string): void {
  if (/^https?:\/\/./.test(url) && URL.canParse(url)) return
  throw usageError(`"${url}" is not a valid server URL: it must have a host and the scheme http or https`)
}

export function required<Value>(value: Value | undefined, what: string, hint: string): Value {
  if (value !== undefined) return value
  throw usageError(what, hint)
}
