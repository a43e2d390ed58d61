import type { HostField } from '../message.ts'

/** The server's address, from its settings and the connection rather than the request. */
export type ServerAddress = {
  /** Scheme of the connection. Default: `http`. */
  scheme?: 'http' | 'https' | undefined
  /** Port of the connection, for clients that sign the port although they omit it in the Host header. */
  localPort?: number | undefined
  /** Address that clients use if a proxy is in front of the server: scheme, host, and port, without a path. */
  publicUrl?: string | undefined
}

/** One way in which a client may have written a request's address. */
export type Spelling = { scheme: string; host: string; authority: string; origin: string }

type Address = { scheme: string; name: string; port: string | undefined }

const defaultPorts: Readonly<Record<string, string>> = { http: '80', https: '443' }

/**
 * Yields the spellings to verify, in order of likelihood. There are at most two, because anyone can send a request and
 * each verification takes time. The first is the Host header as received. The second is the other spelling that a
 * client of this server is most likely to sign. It is the first of these that applies:
 *
 * - the public URL, if the Host header does not name it, for example because a proxy replaced the header
 * - the host in lowercase, if it was sent with uppercase letters
 * - the host without its port, or with the port that the header omits
 */
export function* spellings(host: HostField, server: ServerAddress, components: readonly string[]): Generator<Spelling> {
  const { received, other } = addresses(host, server)
  const first = toSpelling(received)
  yield first
  const second = toSpelling(other, received)
  if (keyOf(first, components) !== keyOf(second, components)) yield second
}

function addresses({ name, port }: HostField, { scheme = 'http', localPort, publicUrl }: ServerAddress) {
  const received: Address = { scheme, name, port }
  const publicAddress = publicUrl === undefined ? undefined : readUrl(publicUrl)
  if (publicAddress !== undefined && !names(received, publicAddress)) return { received, other: publicAddress }
  // Use the scheme of the public URL, because a proxy can keep the Host header although it terminates TLS.
  if (publicAddress !== undefined) received.scheme = publicAddress.scheme
  const lowerName = name.toLowerCase()
  if (lowerName !== name) return { received, other: { ...received, name: lowerName } }
  const omitted = publicAddress?.port ?? (publicAddress === undefined ? localPort?.toString() : undefined)
  const otherPort = port === undefined ? (omitted ?? defaultPorts[received.scheme]) : undefined
  return { received, other: { ...received, port: otherPort } }
}

function readUrl(url: string): Address {
  const { protocol, hostname, port } = new URL(url)
  return { scheme: protocol.slice(0, -1), name: hostname, port: port === '' ? undefined : port }
}

/**
 * Returns whether the Host header names an address. A missing port matches every port, because some proxies remove the
 * port.
 */
const names = (received: Address, { scheme, name, port = defaultPorts[scheme] }: Address): boolean =>
  received.name.toLowerCase() === name && (received.port === undefined || received.port === port)

/**
 * Converts an address to a spelling. The address can omit the received port. The origin still contains a port other
 * than the scheme's default, because `@target-uri` keeps such a port (RFC 9421 §2.2.2).
 */
function toSpelling({ scheme, name, port }: Address, received?: Address): Spelling {
  const dropsPort = port === undefined && received?.name === name && received.port !== defaultPorts[scheme]
  const host = withPort(name, port)
  const origin = `${scheme}://${withPort(name, dropsPort ? received?.port : port)}`
  // Convert @authority to lowercase (RFC 9421 §2.2.3).
  return { scheme, host, authority: host.toLowerCase(), origin }
}

const withPort = (name: string, port: string | undefined): string => (port === undefined ? name : `${name}:${port}`)

/** Returns a key that is the same for spellings with the same signature base. */
function keyOf({ scheme, host, authority, origin }: Spelling, components: readonly string[]): string {
  const covered = (component: string, text: string): string => (components.includes(component) ? text : '')
  return [
    covered('@scheme', scheme),
    covered('host', host),
    covered('@authority', authority),
    covered('@target-uri', origin),
  ].join(' ')
}
