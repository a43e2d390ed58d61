import { isIP } from 'node:net'
import { type AddressRange, parseRange } from '../lib/address-range.ts'

// These functions parse the values of settings. The messages of their errors complete the sentence "<name> must be …".

export function integer(text: string, minimum: number, maximum: number, unit?: string): number {
  const value = Number(text)
  if (!/^\d+$/.test(text) || value < minimum || value > maximum) {
    const kind = unit === undefined ? 'a whole number' : `a whole number of ${unit}`
    throw new Error(`${kind} from ${minimum} to ${maximum}`)
  }
  return value
}

const secondsOf: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400, w: 604_800 }

/** Parses a time span, and returns its length in milliseconds. */
export function timeSpan(text: string): number {
  const [, digits, unit = ''] = /^(\d{1,6})([smhdw])$/.exec(text) ?? []
  const seconds = Number(digits) * secondsOf[unit]!
  if (!(seconds > 0)) throw new Error('a whole number from 1 to 999999 with the unit s, m, h, d, or w, such as 12h')
  return seconds * 1_000
}

export function flag(text: string): boolean {
  if (text !== '0' && text !== '1') throw new Error('0 or 1')
  return text === '1'
}

export function oneOf<Value extends string>(text: string, values: readonly Value[]): Value {
  const found = values.find((value) => value === text)
  if (found === undefined) throw new Error(values.length === 1 ? values[0] : `one of ${values.join(', ')}`)
  return found
}

export function hostName(text: string): string {
  if (isIP(text) === 0 && !/^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$/.test(text))
    throw new Error('an IP address or a host name, such as 127.0.0.1 or localhost')
  return text
}

export function emailAddress(text: string): string {
  if (!/^[^\s@]+@[^\s@]+$/.test(text) || text.length > 254)
    throw new Error('an email address of at most 254 characters, such as owner@example.com')
  return text
}

export function databaseUrl(text: string): string {
  if (!/^postgres(ql)?:\/\//.test(text) || !URL.canParse(text))
    throw new Error('a postgresql or postgres URL, such as postgresql://user:password@host:port/database')
  return text
}

export function masterKey(text: string): Buffer {
  const key = Buffer.from(text, 'base64')
  if (key.length !== 32 || key.toString('base64') !== text)
    throw new Error('32 bytes in base64, such as the output of: openssl rand -base64 32')
  return key
}

export function token(text: string): string {
  if (!/^[\x21-\x7e]{16,}$/.test(text)) throw new Error('16 or more printable ASCII characters without spaces')
  return text
}

export function ranges(text: string): AddressRange[] {
  const items = text.split(',').map((item) => item.trim())
  return items.filter(Boolean).map((item) => {
    const range = isIP(item.split('/', 1)[0] ?? '') === 0 ? undefined : parseRange(item)
    if (range === undefined)
      throw new Error('CIDR ranges or single addresses, separated by commas, such as 10.20.0.0/16')
    return range
  })
}

export function retries(text: string): number[] {
  const delays = text.split(',').map((item) => (/^\s*\d+\s*$/.test(item) ? Number(item) : Number.NaN))
  if (delays.length > 50 || !delays.every((delay) => delay <= 604_800))
    throw new Error('1 to 50 delays in whole seconds, each from 0 to 604800, separated by commas, such as 5,30,120')
  return delays
}

export function share(text: string): number {
  const value = Number(text)
  if (!/^\d*\.?\d+$/.test(text) || value > 1) throw new Error('a number from 0 to 1, such as 0.25')
  return value
}

export function httpUrl(text: string): string {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text))
    throw new Error('an http or https URL, such as http://127.0.0.1:4318')
  return text
}

export function origin(text: string): string {
  const expected = 'an http or https URL with only a host and an optional port, such as https://muster.example.com'
  if (!/^https?:\/\//.test(text) || !URL.canParse(text)) throw new Error(expected)
  const url = new URL(text)
  const hasMore = url.pathname !== '/' || url.search !== '' || url.hash !== '' || url.username + url.password !== ''
  if (hasMore) throw new Error(expected)
  return url.origin
}

/** Rejects `*`, because every allowed origin must be listed. */
export function origins(text: string): string[] {
  const items = text.split(',').map((item) => item.trim())
  return items.filter(Boolean).map((item) => {
    try {
      return origin(item)
    } catch {
      throw new Error(
        'http or https origins with only a host and an optional port, separated by commas, such as https://dashboard.example.com',
      )
    }
  })
}

/** Reads an issuer exactly as given, because the server compares it as a string. Only loopback hosts may use http. */
export function issuer(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isLoopback = url !== undefined && /^(127(\.\d+){3}|\[::1\]|localhost)$/.test(url.hostname)
  const isIssuer = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback)
  if (!isIssuer || url.search !== '' || url.hash !== '' || url.username + url.password !== '')
    throw new Error(
      'an https URL, or an http URL with a loopback host, without a user name, password, query, or fragment, such as https://login.example.com/realms/main',
    )
  return text
}

export function smtpUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isSmtp = url?.protocol === 'smtp:' || url?.protocol === 'smtps:'
  // The mail library would read options from a query string, and some options attach files to emails.
  if (!isSmtp || url.hostname === '' || url.search !== '' || url.hash !== '')
    throw new Error('an smtp or smtps URL with a host but no query or fragment, such as smtp://user:password@host:587')
  return text
}

export function mailAddress(text: string): { name: string; address: string } {
  const [, name = '', inBrackets] = /^([^<>"\r\n]*)<([^<>]*)>$/.exec(text) ?? []
  const address = (inBrackets ?? text).trim()
  if (!/^[^\s@<>,]+@[^\s@<>,]+$/.test(address))
    throw new Error(
      'an email address, with or without a name, such as muster@example.com or Muster <muster@example.com>',
    )
  return { name: name.trim(), address }
}
