import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { type AddressRange, parseRange } from './outbound/reachable.ts'

/** One setting of the server: docs/reference/settings.md is made from this table. */
interface Setting<Value> {
  name: string
  meaning: string
  /** As it is written in the docs. */
  default: string
  secret?: boolean
  /** Throws a text that says what the value should be. `undefined` stands for "not set". */
  parse(text: string | undefined): Value
}

const setting = <Value>(given: Setting<Value>): Setting<Value> => given

export const settings = {
  host: setting({
    name: 'HOST',
    meaning: 'Address to listen on.',
    default: '127.0.0.1',
    parse: (text) => hostName(text ?? '127.0.0.1'),
  }),
  port: setting({
    name: 'PORT',
    meaning: 'TCP port to listen on; 0 for any free one.',
    default: '4000',
    parse: (text) => integer(text ?? '4000', 0, 65_535),
  }),
  dataFolder: setting({
    name: 'MUSTER_DATA',
    meaning: 'Folder of the embedded database, the master key and the first credentials.',
    default: 'data',
    parse: (text) => resolve(text ?? 'data'),
  }),
  databaseUrl: setting({
    name: 'DATABASE_URL',
    meaning: 'PostgreSQL 15 to 18 to use, as postgresql://user:password@host:port/database. Not set: the embedded one.',
    default: 'not set',
    secret: true,
    parse: (text) => (text === undefined ? undefined : databaseUrl(text)),
  }),
  databaseConnections: setting({
    name: 'MUSTER_DATABASE_CONNECTIONS',
    meaning:
      'Connections to the database that serve requests, at most, for each server process; it has up to ten more for what it does beside them.',
    default: '10',
    parse: (text) => integer(text ?? '10', 2, 500),
  }),
  statementTimeout: setting({
    name: 'MUSTER_STATEMENT_TIMEOUT',
    meaning: 'Seconds after which the database gives up on a statement; 0 for never.',
    default: '30',
    parse: (text) => integer(text ?? '30', 0, 3_600) * 1_000,
  }),
  streamsPerKey: setting({
    name: 'MUSTER_STREAMS_PER_KEY',
    meaning: 'Subscriptions that an access key may have open at a time, on each server process.',
    default: '20',
    parse: (text) => integer(text ?? '20', 1, 10_000),
  }),
  ownerEmail: setting({
    name: 'MUSTER_OWNER_EMAIL',
    meaning: 'E-mail address of the first user, created when the database is empty.',
    default: 'owner@localhost',
    parse: (text) => emailAddress(text ?? 'owner@localhost'),
  }),
  masterKey: setting({
    name: 'MUSTER_MASTER_KEY',
    meaning:
      '32 bytes in base64 that encrypt the secrets of access keys and webhooks. Not set: made on first start in MUSTER_DATA/master.key.',
    default: 'not set',
    secret: true,
    parse: (text) => (text === undefined ? undefined : masterKey(text)),
  }),
  publicUrl: setting({
    name: 'MUSTER_PUBLIC_URL',
    meaning: 'What clients call the server when a proxy stands in front: scheme, host and port, no path.',
    default: 'not set',
    parse: (text) => (text === undefined ? undefined : origin(text)),
  }),
  trustedProxies: setting({
    name: 'MUSTER_TRUSTED_PROXIES',
    meaning:
      'Addresses of proxies in front whose X-Forwarded-For or Forwarded is believed: CIDRs or single addresses, parted by commas. What they call the server is MUSTER_PUBLIC_URL, no header.',
    default: 'none',
    parse: (text) => ranges(text ?? ''),
  }),
  keyPoints: setting({
    name: 'MUSTER_KEY_POINTS',
    meaning: 'Points that an access key, or a user by the console, may spend at once; see limits.md.',
    default: '20000',
    parse: (text) => integer(text ?? '20000', 100, 1_000_000_000),
  }),
  keyPointsPerSecond: setting({
    name: 'MUSTER_KEY_POINTS_PER_SECOND',
    meaning: 'Points that an access key, or a user by the console, gains each second.',
    default: '500',
    parse: (text) => integer(text ?? '500', 1, 1_000_000_000),
  }),
  addressPoints: setting({
    name: 'MUSTER_ADDRESS_POINTS',
    meaning:
      'Points that an address may spend at once by requests without credentials that hold, registrations of devices included; of IPv6 a /64 counts as one.',
    default: '2000',
    parse: (text) => integer(text ?? '2000', 100, 1_000_000_000),
  }),
  addressPointsPerSecond: setting({
    name: 'MUSTER_ADDRESS_POINTS_PER_SECOND',
    meaning: 'Points that an address gains each second.',
    default: '50',
    parse: (text) => integer(text ?? '50', 1, 1_000_000_000),
  }),
  deviceMessages: setting({
    name: 'MUSTER_DEVICE_MESSAGES',
    meaning: 'Reports and publications that a device may send at once, to each server process.',
    default: '500',
    parse: (text) => integer(text ?? '500', 1, 1_000_000_000),
  }),
  deviceMessagesPerSecond: setting({
    name: 'MUSTER_DEVICE_MESSAGES_PER_SECOND',
    meaning: 'Reports and publications that a device may go on sending each second.',
    default: '50',
    parse: (text) => integer(text ?? '50', 1, 1_000_000_000),
  }),
  mostRequests: setting({
    name: 'MUSTER_MOST_REQUESTS',
    meaning:
      'Requests under way at most, streams apart, for each server process; further ones are answered 503 at once.',
    default: '1000',
    parse: (text) => integer(text ?? '1000', 1, 1_000_000),
  }),
  mostLag: setting({
    name: 'MUSTER_MOST_LAG',
    meaning:
      'Milliseconds that a round of the event loop may take: while most take longer, requests are answered 503. 0 for any.',
    default: '2000',
    parse: (text) => integer(text ?? '2000', 0, 60_000),
  }),
  requireDigest: setting({
    name: 'MUSTER_REQUIRE_DIGEST',
    meaning: '1: every signed request with a body must cover a digest of it.',
    default: '0',
    parse: (text) => flag(text ?? '0'),
  }),
  eventRetention: setting({
    name: 'MUSTER_EVENT_RETENTION',
    meaning: 'Days that events are kept at least; they go by whole months. 0 for ever.',
    default: '400',
    parse: (text) => integer(text ?? '400', 0, 36_500),
  }),
  webhookAllow: setting({
    name: 'MUSTER_WEBHOOK_ALLOW',
    meaning:
      'Addresses that webhooks may reach besides those that anybody can reach: CIDRs or single addresses, parted by commas, such as 10.20.0.0/16 for receivers of your own.',
    default: 'none',
    parse: (text) => ranges(text ?? ''),
  }),
  webhookRetries: setting({
    name: 'MUSTER_WEBHOOK_RETRIES',
    meaning: 'Seconds between the attempts of a webhook delivery, parted by commas; each 20 % more or less.',
    default: '5,30,120,600,1800,3600,10800,21600,36000,50400,64800,86400,86400',
    parse: (text) => retries(text ?? '5,30,120,600,1800,3600,10800,21600,36000,50400,64800,86400,86400'),
  }),
  firstRecord: setting({
    name: 'MUSTER_FIRST_RECORD',
    meaning: 'What `from` counts from: 1, or 0 for clients written that way.',
    default: '1',
    parse: (text) => integer(text ?? '1', 0, 1) as 0 | 1,
  }),
  presenceHold: setting({
    name: 'MUSTER_PRESENCE_HOLD',
    meaning: 'Seconds for which a device that lost its connection may come back before it is inactive.',
    default: '5',
    parse: (text) => integer(text ?? '5', 0, 3_600) * 1_000,
  }),
  mqttPort: setting({
    name: 'MUSTER_MQTT_PORT',
    meaning: 'TCP port to serve MQTT on; 0 for none. The WebSocket at /mqtt is served in any case.',
    default: '1883',
    parse: (text) => integer(text ?? '1883', 0, 65_535),
  }),
  mqttTlsCert: setting({
    name: 'MUSTER_MQTT_TLS_CERT',
    meaning: 'File of the certificate, with its chain, as PEM: MUSTER_MQTT_PORT then speaks TLS only.',
    default: 'not set',
    parse: (text) => text,
  }),
  mqttTlsKey: setting({
    name: 'MUSTER_MQTT_TLS_KEY',
    meaning: 'File of the private key of MUSTER_MQTT_TLS_CERT, as PEM.',
    default: 'not set',
    parse: (text) => text,
  }),
  mqttConnections: setting({
    name: 'MUSTER_MQTT_CONNECTIONS',
    meaning: 'MQTT connections at most, for each server process; the limit of open files must be above it.',
    default: '20000',
    parse: (text) => integer(text ?? '20000', 1, 1_000_000),
  }),
  mqttSigningOn: setting({
    name: 'MUSTER_MQTT_SIGNING_ON',
    meaning: 'MQTT connections at most that have not signed on yet, for each address.',
    default: '1000',
    parse: (text) => integer(text ?? '1000', 1, 1_000_000),
  }),
  metricsToken: setting({
    name: 'MUSTER_METRICS_TOKEN',
    meaning:
      'What whoever reads /metrics must show, as Authorization: Bearer; 16 characters at least. Not set: /metrics answers this machine alone, and nobody where MUSTER_PUBLIC_URL is set.',
    default: 'not set',
    secret: true,
    parse: (text) => (text === undefined ? undefined : token(text)),
  }),
  logLevel: setting({
    name: 'MUSTER_LOG_LEVEL',
    meaning: 'fatal, error, warn, info, debug, trace or silent.',
    default: 'info',
    parse: (text) => oneOf(text ?? 'info', ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']),
  }),
} satisfies Record<string, Setting<unknown>>

export type Config = Readonly<{ [Name in keyof typeof settings]: ReturnType<(typeof settings)[Name]['parse']> }>

/** Every setting that is wrong, one a line, each with its name and what it should be. */
export class ConfigError extends Error {
  constructor(problems: string[]) {
    super(problems.join('\n'))
    this.name = 'ConfigError'
  }
}

/** Reads the environment; an empty variable counts as not set. A wrong value stops the start. */
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

/** Names that look like settings of the server and are none: most likely misspelt, or of another release. */
export function unknownSettings(env: NodeJS.ProcessEnv = process.env): string[] {
  const known = new Set(Object.values(settings).map(({ name }) => name as string))
  return Object.keys(env).filter((name) => name.startsWith('MUSTER_') && !known.has(name) && !elsewhere.has(name))
}

/** Read by the command line and by scripts, not by the server. */
const elsewhere = new Set([
  'MUSTER_CREDENTIALS',
  'MUSTER_URL',
  'MUSTER_ACCESS_KEY_ID',
  'MUSTER_SECRET_ACCESS_KEY',
  'MUSTER_EMAIL',
  'MUSTER_PASSWORD',
  'MUSTER_TEST_DATABASE_URL',
])

function integer(text: string, least: number, most: number): number {
  const value = Number(text)
  if (!/^\d+$/.test(text) || value < least || value > most) throw new Error(`a whole number from ${least} to ${most}`)
  return value
}

function flag(text: string): boolean {
  if (text !== '0' && text !== '1') throw new Error('0 or 1')
  return text === '1'
}

function oneOf<Value extends string>(text: string, values: readonly Value[]): Value {
  const found = values.find((value) => value === text)
  if (found === undefined) throw new Error(`one of ${values.join(', ')}`)
  return found
}

function hostName(text: string): string {
  if (isIP(text) === 0 && !/^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$/.test(text))
    throw new Error('an IP address or a host name')
  return text
}

function emailAddress(text: string): string {
  if (!/^[^\s@]+@[^\s@]+$/.test(text) || text.length > 254) throw new Error('an e-mail address')
  return text
}

function databaseUrl(text: string): string {
  if (!/^postgres(ql)?:\/\//.test(text) || !URL.canParse(text))
    throw new Error('postgresql://user:password@host:port/database')
  return text
}

function masterKey(text: string): Buffer {
  const key = Buffer.from(text, 'base64')
  if (key.length !== 32 || key.toString('base64') !== text) throw new Error('32 bytes in base64')
  return key
}

function token(text: string): string {
  if (!/^[\x21-\x7e]{16,}$/.test(text)) throw new Error('16 or more printable ASCII characters without blanks')
  return text
}

function ranges(text: string): AddressRange[] {
  const items = text.split(',').map((item) => item.trim())
  return items.filter(Boolean).map((item) => {
    const range = isIP(item.split('/', 1)[0] ?? '') === 0 ? undefined : parseRange(item)
    if (range === undefined) throw new Error('CIDRs or single addresses, parted by commas, such as 10.20.0.0/16')
    return range
  })
}

function retries(text: string): number[] {
  const delays = text.split(',').map((item) => integer(item.trim(), 0, 604_800))
  if (delays.length > 50) throw new Error('50 delays at most')
  return delays
}

function origin(text: string): string {
  const wanted = 'a URL of scheme, host and port alone, such as https://muster.example.com'
  if (!/^https?:\/\//.test(text) || !URL.canParse(text)) throw new Error(wanted)
  const url = new URL(text)
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '' || url.username !== '') throw new Error(wanted)
  return url.origin
}
