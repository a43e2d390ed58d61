import { createHmac, timingSafeEqual } from 'node:crypto'
import { deflateRawSync, inflateRawSync } from 'node:zlib'

type Json = Readonly<Record<string, unknown>>

export type ListName = 'events' | 'devices' | 'bulkReport' | 'bulkSecrets'

export interface DownloadContent {
  filter: Json
  /** The IDs of the devices whose events are downloaded. Omitted for a download of all events or of another list. */
  deviceIds?: readonly string[]
  /**
   * The name of the list, and the data that determines the content of the download:
   *
   * - for devices, the filter, the order, and the columns
   * - for the files of a bulk job, the job
   * - for events, the filter with all data that it depends on
   *
   * Omitted for events without a filter in the filter language.
   */
  selection?: Json & { list: ListName }
}

/** The grant ends when the link expires, or earlier if the requesting key or session becomes invalid. */
export interface DownloadGrant {
  accountId: string
  /** The ID of the access key that requested the link. If a console session requested it, `session` is set instead. */
  accessKey?: string
  session?: string
  /**
   * The ID of the session's person. Omitted for an access key. Links from the previous release always omit it, because
   * a session then belonged to the person with the account's ID.
   */
  personId?: string | undefined
  content: DownloadContent
  expires: Date
}

/**
 * Identifies the format of `selection`. Change this string when that format or the format of resolved filters changes.
 * No server then serves a link that it would interpret differently.
 */
const SELECTION_FORMAT = 'selection 1'

/**
 * Returns `<grant>.<device IDs>.<mac>` or `<grant>.<device IDs>.<selection>.<mac>`. Anyone with this token can download
 * the list. Each part is base64url:
 *
 * - the grant as JSON
 * - the device IDs as bytes, because 1,000 IDs as JSON would make the request line too long. If `deviceIds` is omitted,
 *   `*` replaces this part.
 * - the selection as compressed JSON
 * - the HMAC-SHA256 of the other parts
 */
export function signGrant({ content, ...grant }: DownloadGrant, linkKey: Buffer): string {
  const { filter, deviceIds, selection } = content
  const json = Buffer.from(JSON.stringify({ ...grant, filter })).toString('base64url')
  const plain = `${json}.${deviceIds === undefined ? ALL_DEVICES : packIds(deviceIds)}`
  if (selection === undefined) return `${plain}.${mac(plain, linkKey)}`
  const text = `${plain}.${deflateRawSync(JSON.stringify(selection)).toString('base64url')}`
  return `${text}.${macOfSelection(text, linkKey)}`
}

/** Returns undefined if the MAC is invalid or the grant has expired. */
export function readGrant(token: string, { linkKey, now }: { linkKey: Buffer; now: Date }): DownloadGrant | undefined {
  const end = token.lastIndexOf('.')
  const text = token.slice(0, Math.max(end, 0))
  const [json = '', ids = '', packed] = text.split('.')
  const signed = packed === undefined ? mac(text, linkKey) : macOfSelection(text, linkKey)
  // Compare the encoded MACs, because the base64url decoder ignores unknown characters and unused bits.
  if (!isSame(token.slice(end + 1), signed)) return undefined
  const { filter, expires, ...grant } = JSON.parse(Buffer.from(json, 'base64url').toString()) as GrantAsJson
  if (new Date(expires) <= now) return undefined
  const content: DownloadContent = { filter }
  if (ids !== ALL_DEVICES) content.deviceIds = unpackIds(ids)
  if (packed !== undefined) content.selection = JSON.parse(inflateRawSync(Buffer.from(packed, 'base64url')).toString())
  return { ...grant, expires: new Date(expires), content }
}

type GrantAsJson = Omit<DownloadGrant, 'expires' | 'content'> & { expires: string; filter: Json }

/** Represents omitted device IDs. An empty string represents an empty list of device IDs. */
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

/** Because of the prefix, a release that would ignore the selection rejects the token. */
const macOfSelection = (text: string, key: Buffer): string => mac(`${SELECTION_FORMAT} ${text}`, key)

function isSame(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)]
  return one.length === other.length && timingSafeEqual(one, other)
}
