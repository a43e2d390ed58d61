import type { HostField } from './message.ts'

/** What a verifier knows of where it stands. Nothing here comes from the request. */
export type Place = {
  /** The scheme of the connection; `http` if left away. */
  scheme?: 'http' | 'https' | undefined
  /** The port that the connection came in on, for clients that sign it although their Host header leaves it away. */
  localPort?: number | undefined
  /** What a proxy in front is called: scheme, host and port, no path. */
  publicUrl?: string | undefined
}

/** One way in which a client may have written the place that it sent a request to. */
export type Spelling = { scheme: string; host: string; authority: string; origin: string }

const defaultPorts: Readonly<Record<string, string>> = { http: '80', https: '443' }

/**
 * The closed list of ways to write the place of a request, the likeliest first: as the Host header says and as
 * `publicUrl` says, each with the port and without it. Whatever a client signed that is none of these does not verify.
 * Only what the signature covers is varied, so that few remain.
 */
export function* spellings(host: HostField, place: Place, components: readonly string[]): Generator<Spelling> {
  // Nearly every client writes this one, so it is tried before the others are even thought of.
  const usual = usualSpelling(host, place)
  yield usual
  const tried = new Set([keyOf(usual, components)])
  for (const written of writtenPlaces(host, place)) {
    for (const spelling of combine(written, components)) {
      const key = keyOf(spelling, components)
      if (!tried.has(key)) yield spelling
      tried.add(key)
    }
  }
}

/** As the Host header has it. */
function usualSpelling({ name, port }: HostField, { scheme = 'http' }: Place): Spelling {
  const host = port === undefined ? name : `${name}:${port}`
  return { scheme, host, authority: host.toLowerCase(), origin: `${scheme}://${host}` }
}

/** The same for spellings that give the same signature base. */
function keyOf({ scheme, host, authority, origin }: Spelling, components: readonly string[]): string {
  const covered = (component: string, text: string): string => (components.includes(component) ? text : '')
  return [
    covered('@scheme', scheme),
    covered('host', host),
    covered('@authority', authority),
    covered('@target-uri', origin),
  ].join(' ')
}

type WrittenPlace = { scheme: string; name: string; ports: Port[]; exactPorts: Port[] }
type Port = string | undefined

function* writtenPlaces(host: HostField, { scheme = 'http', localPort, publicUrl }: Place): Generator<WrittenPlace> {
  // The Host header may be signed in the case sent, or as addresses are written everywhere else: in lower case.
  for (const name of new Set([host.name, host.name.toLowerCase()])) yield write(scheme, name, host.port, localPort)
  if (publicUrl !== undefined) {
    const url = new URL(publicUrl)
    yield write(url.protocol.slice(0, -1), url.hostname, url.port === '' ? undefined : url.port)
  }
}

function write(scheme: string, name: string, port: Port, localPort?: number): WrittenPlace {
  const usual = defaultPorts[scheme]
  const ports = port === undefined ? [port, usual] : [port, undefined]
  if (port === undefined && localPort !== undefined) ports.push(String(localPort))
  // The target URI has its port, which only the scheme's own one may leave away (RFC 9421 §2.2.2, RFC 9110 §4.2.3).
  return { scheme, name, ports, exactPorts: port === undefined || port === usual ? ports : [port] }
}

function* combine(
  { scheme, name, ports, exactPorts }: WrittenPlace,
  components: readonly string[],
): Generator<Spelling> {
  const vary = (component: string, start: string, choice: Port[]): string[] =>
    components.includes(component) ? authorities(start, choice) : ['']
  for (const host of vary('host', name, ports)) {
    // RFC 9421 §2.2.3: @authority is lower case.
    for (const authority of vary('@authority', name.toLowerCase(), ports)) {
      for (const origin of vary('@target-uri', `${scheme}://${name}`, exactPorts)) {
        yield { scheme, host, authority, origin }
      }
    }
  }
}

const authorities = (name: string, ports: Port[]): string[] =>
  ports.map((port) => (port === undefined ? name : `${name}:${port}`))
