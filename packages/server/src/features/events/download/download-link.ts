import { createHmac, timingSafeEqual } from 'node:crypto'
import type { EventFilter } from '../event-filter.ts'

/**
 * Allows downloading an account's matching events until the link expires, or until the requesting key or session is no longer
 * valid.
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
 * Returns the token `<grant>.<device IDs>.<mac>`. Each part is base64url: the grant as JSON, the device IDs as bytes, and the
 * HMAC-SHA256 of both. Anyone with the token can read these events. Device IDs are packed because 1,000 of them as JSON would
 * make the request line too long.
 */
export function signGrant({ filter, ...grant }: DownloadGrant, linkKey: Buffer): string {
  const { deviceIds, ...rest } = filter
  const json = Buffer.from(JSON.stringify({ ...grant, filter: rest })).toString('base64url')
  const text = `${json}.${deviceIds === undefined ? ALL_DEVICES : packIds(deviceIds)}`
  return `${text}.${mac(text, linkKey)}`
}

/** Returns the token's grant, or undefined if this server did not sign the token or the token has expired. */
export function readGrant(token: string, { linkKey, now }: { linkKey: Buffer; now: Date }): DownloadGrant | undefined {
  const end = token.lastIndexOf('.')
  const text = token.slice(0, Math.max(end, 0))
  // Compares strings because the base64url decoder ignores unknown characters and unused bits.
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

/** Represents an absent device filter. An empty string represents an empty list. */
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
