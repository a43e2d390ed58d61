import { backupSettings } from './settings/backups.ts'
import { dataSettings } from './settings/data.ts'
import { deviceSettings } from './settings/devices.ts'
import { httpSettings } from './settings/http.ts'
import { mailSettings } from './settings/mail.ts'
import { processSettings } from './settings/processes.ts'
import { requestSettings } from './settings/requests.ts'
import type { Setting } from './settings/setting.ts'
import { singleSignOnSettings } from './settings/single-sign-on.ts'
import { traceSettings } from './settings/traces.ts'
import { webhookSettings } from './settings/webhooks.ts'

export const settings = {
  ...httpSettings,
  ...processSettings,
  ...dataSettings,
  ...backupSettings,
  ...requestSettings,
  ...deviceSettings,
  ...singleSignOnSettings,
  ...mailSettings,
  ...webhookSettings,
  ...traceSettings,
} satisfies Record<string, Setting<unknown>>

export type Config = Readonly<{ [Name in keyof typeof settings]: ReturnType<(typeof settings)[Name]['parse']> }>

/**
 * Lists all invalid settings, one per line, each with its name, its valid values, and, unless it is secret, its value.
 */
export class ConfigError extends Error {
  constructor(problems: string[]) {
    super(problems.join('\n'))
    this.name = 'ConfigError'
  }
}

/**
 * Reads and checks the environment. Throws a ConfigError if a setting is invalid. A variable that is empty or contains
 * only whitespace counts as unset.
 */
export function readConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const problems: string[] = []
  const values: Record<string, unknown> = {}
  for (const [key, { name, parse, secret }] of Object.entries(settings) as [string, Setting<unknown>][]) {
    const text = env[name]?.trim() || undefined
    try {
      values[key] = parse(text)
    } catch (error) {
      const found = secret ? '' : `, not ${JSON.stringify(text)}`
      problems.push(`${name} must be ${(error as Error).message}${found}`)
    }
  }
  if (problems.length > 0) throw new ConfigError(problems)
  return Object.freeze(values) as Config
}

/**
 * Returns the names of the `MUSTER_*` variables that neither the server nor another Muster program reads. Such a
 * variable is misspelled or belongs to another release.
 */
export function unknownSettings(env: NodeJS.ProcessEnv = process.env): string[] {
  const known = new Set(Object.values(settings).map(({ name }) => name as string))
  return Object.keys(env).filter((name) => name.startsWith('MUSTER_') && !known.has(name) && !otherVariables.has(name))
}

/** Clients, the CLI, agents, tests, and scripts read these variables, so the server does not report them as unknown. */
const otherVariables = new Set([
  'MUSTER_CREDENTIALS',
  'MUSTER_PROFILE',
  'MUSTER_URL',
  'MUSTER_ACCESS_KEY_ID',
  'MUSTER_SECRET_ACCESS_KEY',
  'MUSTER_PRIVATE_KEY_FILE',
  'MUSTER_EMAIL',
  'MUSTER_PASSWORD',
  'MUSTER_WEBHOOK_SECRET',
  'MUSTER_COMPLETION_TIMEOUT',
  'MUSTER_AGENT_CONFIG',
  'MUSTER_AGENT_STATE',
  'MUSTER_CODE',
  'MUSTER_CHROMIUM',
  'MUSTER_TEST_DATABASE_URL',
  'MUSTER_TEST_CLUSTER_WORKERS',
  'MUSTER_TEST_CLUSTER_FOLDER',
  'MUSTER_TEST_CLUSTER_BIN',
  'MUSTER_CITUS_DIR',
])
