import { limits } from '../../src/limits.ts'
import type { Attack } from './attacker.ts'
import { startBulkJobs } from './bulk-job.ts'
import type { AccessKey, Population } from './population.ts'
import { expensiveSignature, type Operation, signedBytes, unfinishedRequest, unknownKeyRequest } from './requests.ts'

export interface Row {
  name: string
  attack: string
  /** The minimum duration of the attack, regardless of the options. */
  minSeconds?: number
  /** Whether the other user shares the attacker's address. */
  sharesAddress?: boolean
  /** Whether closed and failed connections and timeouts (408) also count as rejections of the attacker. */
  closes?: boolean
  isAllowed?: boolean
  /** Starts work on the server. The returned function ends the work and returns counts of its results. */
  begin?(target: Target): Promise<() => Promise<Record<string, number>>>
  attacks(target: Target): Attack[]
}

export interface Target {
  url: string
  population: Population
  from: string
}

const ALIASES = [limits.aliasesPerField, limits.walkingFields, 4]
const UNKNOWN_NAMES = 200

const aliased = (head: string, field: string, variables?: Record<string, unknown>): Operation[] =>
  ALIASES.map((length) => {
    const fields = Array.from({ length }, (_, index) => `f${index}: ${field}`)
    return { query: `${head} { login { ${fields.join(' ')} } }`, ...(variables && { variables }) }
  })

/** For each field, the server counts the devices that have none of 200 attributes, and sorts them without an index. */
const fullScans = aliased(
  'query ($a: Object)',
  'devices(attributes: $a, context: "x", sort: "x.y desc", size: 1) { total items { id } }',
  { a: Object.fromEntries(Array.from({ length: UNKNOWN_NAMES }, (_, index) => [`n${index}`, null])) },
)
const attributeNames = aliased('', 'attributeNames { name }')
const sortWithoutIndex: Operation[] = [{ query: '{ login { devices(sort: "no.index") { items { id } } } }' }]
const largePage: Operation[] = [{ query: '{ login { devices(size: 1000, sort: "id") { items { attributes } } } }' }]

function attackWith(
  { url, from }: Target,
  connections: number,
  requests: Buffer[],
  behavior: Attack['behavior'] = 'repeat',
): Attack {
  const { hostname: host, port } = new URL(url)
  return { host, port: Number(port), from, connections, requests, behavior }
}

export function signedAttack(
  target: Target,
  connections: number,
  keys: AccessKey[],
  operations: Operation[],
  behavior?: Attack['behavior'],
): Attack {
  const requests = keys.flatMap((key) => operations.map((operation) => signedBytes(target.url, key, operation)))
  return attackWith(target, connections, requests, behavior)
}

const oneKey = ({ population }: Target): AccessKey[] => population.attackers[0]!.keys.slice(1, 2)
const eightKeys = ({ population }: Target): AccessKey[] => population.attackers[0]!.keys.slice(0, 8)
const keysOfFour = ({ population }: Target): AccessKey[] => population.attackers.map(({ keys }) => keys[0]!)

/** Returns attacks with the queries of rows 1 to 3. */
const queriesBy = (target: Target, keys: AccessKey[], share: number): Attack[] => [
  signedAttack(target, keys.length * share * ALIASES.length, keys, fullScans),
  signedAttack(target, keys.length * share * ALIASES.length, keys, attributeNames),
  signedAttack(target, keys.length * 15, keys, sortWithoutIndex),
]

export const rows: readonly Row[] = [
  { name: '0', attack: 'none', isAllowed: true, attacks: () => [] },
  {
    name: '1',
    attack: '3 connections: 15, 10, and 4 × devices in a full scan',
    attacks: (target) => [signedAttack(target, 3, oneKey(target), fullScans)],
  },
  {
    name: '2',
    attack: '6 connections: 15, 10, and 4 × attributeNames',
    attacks: (target) => [signedAttack(target, 6, oneKey(target), attributeNames)],
  },
  {
    name: '3',
    attack: '120 connections: devices(sort: "no.index")',
    attacks: (target) => [signedAttack(target, 120, oneKey(target), sortWithoutIndex)],
  },
  {
    name: '4',
    attack: 'unknown key, 120 connections: expensive signatures',
    attacks: (target) => [attackWith(target, 120, [expensiveSignature()])],
  },
  {
    name: '5',
    attack: '170 connections: do not read a 30 MB page',
    // The attack must last long enough for the server to close connections whose client reads nothing for 30 seconds.
    minSeconds: 45,
    closes: true,
    attacks: (target) => [signedAttack(target, 170, oneKey(target), largePage, 'ignore')],
  },
  {
    name: '6',
    attack: 'no key, 900 connections: an unknown key',
    attacks: (target) => [attackWith(target, 900, [unknownKeyRequest(target.url)])],
  },
  {
    name: '7',
    attack: 'no key: 600 unfinished bodies, 3,000 idle connections',
    minSeconds: 45,
    closes: true,
    attacks: (target) => [
      attackWith(target, 600, [unfinishedRequest(target.url)], 'wait'),
      attackWith(target, 3_000, [], 'wait'),
    ],
  },
  {
    name: '8keys',
    attack: 'eight keys of one user: rows 1, 2, and 3 together',
    attacks: (target) => queriesBy(target, eightKeys(target), 1),
  },
  {
    name: '4users',
    attack: 'four users: rows 1, 2, and 3 together',
    attacks: (target) => queriesBy(target, keysOfFour(target), 2),
  },
  {
    name: '3shared',
    attack: 'row 3 from the address of the other user',
    sharesAddress: true,
    attacks: (target) => [signedAttack(target, 120, oneKey(target), sortWithoutIndex)],
  },
  {
    name: 'bulk',
    attack: 'a bulk job over all devices of a user, at the highest rate',
    isAllowed: true,
    begin: ({ url, population }) => startBulkJobs(url, population.attackers.at(-1)!.keys[0]!),
    attacks: () => [],
  },
]
