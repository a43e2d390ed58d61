import { createHmac, timingSafeEqual } from 'node:crypto'
import type { EventFilter } from '../event-filter.ts'

/** What a download link grants: these events of this account, until it expires or what asked for it stops working. */
export interface DownloadGrant {
  accountId: string
  /** What asked for the link: an access key, or a session of the console. */
  accessKey?: string
  session?: string
  filter: EventFilter
  expires: Date
}

/**
 * `<grant>.<device ids>.<mac>`, each in base64url: the grant as JSON, the ids as bytes, and the HMAC-SHA256 of both. Who has it can
 * read these events. Ids are packed, since a thousand of them as JSON are longer than a request line may be.
 */
export function signGrant({ filter, ...grant }: DownloadGrant, linkKey: Buffer): string {
  const { deviceIds, ...rest } = filter
  const json = Buffer.from(JSON.stringify({ ...grant, filter: rest })).toString('base64url')
  const text = `${json}.${deviceIds === undefined ? ALL_DEVICES : packIds(deviceIds)}`
  return `${text}.${mac(text, linkKey)}`
}

/** The grant of a token that was signed here and has not expired; undefined for any other text. */
export function readGrant(token: string, { linkKey, now }: { linkKey: Buffer; now: Date }): DownloadGrant | undefined {
  const end = token.lastIndexOf('.')
  const text = token.slice(0, Math.max(end, 0))
  // Compared as text: base64url reads characters that it does not know, and spare bits, as nothing.
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

/** Stands for no list of ids; an empty list is an empty text. */
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
