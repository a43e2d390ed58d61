import { createHmac, timingSafeEqual } from 'node:crypto'
import type { EventFilter } from '../event-filter.ts'

/**
 * What a download link grants: these events of this account, until the link expires or the requesting key or session is
 * invalid.
 */
export interface DownloadGrant {
  accountId: string
  /** The access key or console session that requested the link. */
  accessKey?: string
  session?: string
  filter: EventFilter
  expires: Date
}

/**
 * `<grant>.<device ids>.<mac>`, each in base64url: the grant as JSON, the ids as bytes, and the HMAC-SHA256 of both. Anyone
 * with the token can read these events. Ids are packed because a thousand of them as JSON would be too long for a request line.
 */
export function signGrant({ filter, ...grant }: DownloadGrant, linkKey: Buffer): string {
  const { deviceIds, ...rest } = filter
  const json = Buffer.from(JSON.stringify({ ...grant, filter: rest })).toString('base64url')
  const text = `${json}.${deviceIds === undefined ? ALL_DEVICES : packIds(deviceIds)}`
  return `${text}.${mac(text, linkKey)}`
}

/** The grant of a token that this server signed and that has not expired, or undefined for any other string. */
export function readGrant(token: string, { linkKey, now }: { linkKey: Buffer; now: Date }): DownloadGrant | undefined {
  const end = token.lastIndexOf('.')
  const text = token.slice(0, Math.max(end, 0))
  // Compared as strings: the base64url decoder ignores unknown characters and spare bits.
  if (!isSame(token.slice(end + 1), mac(text, linkKey))) return undefined
  const [json = '', ids = ''] = text.split('.')
  const { filter, expires, ...grant } = JSON.parse(Buffer.from(json, 'base64url').toString()) as GrantAsJson
  if (new Date(expires) <= now) return undefined
  const devices = ids === ALL_DEVICES ? {} : { deviceIds: unpackIds(ids) }
  return { ...grant, expires: new Date(expires), filter: { ...withDates(filter), ...devices } }
}

interface GrantAsJson extends Omit<DownloadGrant, 'expires' | 'filter'> {
  expires: string
  filter: Omit<EventFilter, 'from' | 'until' | 'deviceIds'> & { from?: string; until?: string }
}

function withDates({ from, until, ...filter }: GrantAsJson['filter']): EventFilter {
  return { ...filter, ...(from && { from: new Date(from) }), ...(until && { until: new Date(until) }) }
}

/** Represents an absent list of ids; an empty list is an empty string. */
const ALL_DEVICES = '*'

const ID_BYTES = 8

const packIds = (ids: readonly string[]): string =>
  Buffer.from(ids.join('').replaceAll(':', ''), 'hex').toString('base64url')

function unpackIds(text: string): string[] {
  const hex = Buffer.from(text, 'base64url').toString('hex')
  return Array.from({ length: hex.length / 2 / ID_BYTES }, (_, index) =>
    hex.slice(index * 2 * ID_BYTES, (index + 1) * 2 * ID_BYTES).replace(/..(?=.)/g, '$&:'),
  )
}

const mac = (text: string, key: Buffer): string => createHmac('sha256', key).update(text).digest('base64url')

function isSame(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)]
  return one.length === other.length && timingSafeEqual(one, other)
}
