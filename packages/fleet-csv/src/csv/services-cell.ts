export interface ServiceEntry {
  name: string
  type: string
  host: string | null
  /** Undefined means the type's default port, and null means no port. */
  port: number | null | undefined
  enabled: boolean
}

/** A character of a cell. `literal` is true if a backslash or brackets escape the character. */
interface Character {
  text: string
  literal: boolean
}

/**
 * Parses `ssh:22;web=http:192.168.1.5:8080;!cam=rtsp:[fe80::1]:554`: entries separated by `;`, each
 * `[!][name=]type[:host][:port]`. `!` means disabled, the default name is the type, and the port `-` means no port. A
 * host in brackets may contain colons. A backslash escapes the next character. Throws an Error that explains what is
 * invalid.
 */
export function parseServices(cell: string): ServiceEntry[] {
  return split(characters(cell), ';')
    .map(trim)
    .filter((entry) => entry.length > 0)
    .map(parseEntry)
}

function parseEntry(entry: Character[]): ServiceEntry {
  const fail = (reason: string): never => {
    throw new Error(`services: ${JSON.stringify(textOf(entry))}: ${reason}`)
  }
  const enabled = !isSpecial(entry[0], '!')
  const named = split(enabled ? entry : entry.slice(1), '=')
  if (named.length > 2) fail('the entry contains more than one "="; in a name, write "=" as "\\="')
  const [type, ...hostAndPort] = split(named.at(-1)!, ':').map(trim)
  const typeName = textOf(type!)
  const name = named.length === 2 ? textOf(trim(named[0]!)) : typeName
  if (typeName === '') fail('the type is missing; write a type such as ssh')
  if (name === '') fail('the name before the "=" is missing; write a name, as in web=http')
  const last = hostAndPort.at(-1)
  const hasPort = last !== undefined && isPort(last)
  const hosts = hasPort ? hostAndPort.slice(0, -1) : hostAndPort
  if (hosts.length > 1)
    fail(
      'only a host and a port can follow the type; write the port as a number, and put brackets around a host that contains colons, as in ssh:[fe80::1]:22',
    )
  const [host] = hosts
  if (host !== undefined && host.length === 0) fail('the host or port after ":" is missing; write one, as in ssh:22')
  return {
    name,
    type: typeName,
    host: host ? textOf(host) : null,
    port: hasPort ? portOf(last, fail) : undefined,
    enabled,
  }
}

const isPort = (part: Character[]): boolean => part.every(({ literal }) => !literal) && /^(-|\d+)$/.test(textOf(part))

function portOf(part: Character[], fail: (reason: string) => never): number | null {
  const text = textOf(part)
  if (text === '-') return null
  const port = Number(text)
  return port >= 1 && port <= 65_535
    ? port
    : fail(`the port must be from 1 to 65535, not ${text}; for no port, write "-"`)
}

function characters(cell: string): Character[] {
  const found: Character[] = []
  let inBrackets = false
  for (let at = 0; at < cell.length; at++) {
    const text = cell[at]!
    if (text === '\\') {
      if (++at === cell.length)
        throw new Error('services: "\\" at the end escapes nothing; for a backslash, write "\\\\"')
      found.push({ text: cell[at]!, literal: true })
    } else if (
      text === '[' &&
      !inBrackets &&
      isSpecial(
        found.findLast(({ text }) => text.trim() !== ''),
        ':',
      )
    ) {
      inBrackets = true
    } else if (text === ']' && inBrackets) {
      inBrackets = false
    } else {
      found.push({ text, literal: inBrackets })
    }
  }
  if (inBrackets) throw new Error('services: "[" has no closing "]"; write "]" after the host, as in ssh:[fe80::1]:22')
  return found
}

const isSpecial = (character: Character | undefined, text: string): boolean =>
  character !== undefined && !character.literal && character.text === text

function split(text: Character[], separator: string): Character[][] {
  const parts: Character[][] = [[]]
  for (const character of text) {
    if (isSpecial(character, separator)) parts.push([])
    else parts.at(-1)!.push(character)
  }
  return parts
}

function trim(text: Character[]): Character[] {
  const isKept = ({ text, literal }: Character): boolean => literal || text.trim() !== ''
  const first = text.findIndex(isKept)
  return first === -1 ? [] : text.slice(first, text.findLastIndex(isKept) + 1)
}

const textOf = (part: Character[]): string => part.map(({ text }) => text).join('')

export const formatServices = (entries: readonly ServiceEntry[]): string => entries.map(formatEntry).join(';')

function formatEntry({ name, type, host, port, enabled }: ServiceEntry): string {
  const named = name === type ? escaped(type) : `${escaped(name)}=${escaped(type)}`
  const hostPart = host === null ? '' : `:${formatHost(host)}`
  const portPart = port === undefined ? '' : `:${port ?? '-'}`
  return `${enabled ? '' : '!'}${named}${hostPart}${portPart}`
}

function formatHost(host: string): string {
  if (/^[0-9A-Fa-f:.%\w]*:[0-9A-Fa-f:.%\w]*$/.test(host)) return `[${host}]`
  // Escape a host that looks like a port, so that `parseServices` does not read it as a port.
  return /^(-|\d+)$/.test(host) ? `\\${host}` : escaped(host)
}

function escaped(text: string): string {
  const needsEscape = (unit: string, at: number): boolean =>
    '\\;=:![]'.includes(unit) || ((at === 0 || at === text.length - 1) && unit.trim() === '')
  return text
    .split('')
    .map((unit, at) => (needsEscape(unit, at) ? `\\${unit}` : unit))
    .join('')
}
