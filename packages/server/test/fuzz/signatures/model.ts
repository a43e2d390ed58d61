import { createHash, createHmac, type KeyObject, timingSafeEqual, verify } from 'node:crypto'
import { type Credentials, readCredentials } from './model-credentials.ts'
import { type Header, type HttpRequest, readRequest } from './model-http.ts'

export interface ReferenceInput {
  keys: Readonly<Record<string, { secret: Buffer } | { publicKey: KeyObject }>>
  now: number
  port: number
}

/**
 * Returns whether the server may accept a request. Shares no code with the server. In doubt, returns true, because the
 * tests look for requests that the server accepts although this function returns false.
 */
export function mayBeAccepted(bytes: Buffer, input: ReferenceInput): boolean {
  const request = readRequest(bytes)
  if (request === undefined) return false
  const single = ['host', 'authorization', 'date', 'digest', 'content-digest', 'content-type', 'content-length']
  if (single.some((name) => valuesOf(request.headers, name).length > 1)) return false
  return readCredentials(request.headers).some((credentials) => isValid(credentials, request, input))
}

const valuesOf = (headers: readonly Header[], name: string): string[] =>
  headers.filter((header) => header.name === name).map(({ value }) => value)

const isB = ({ form }: Credentials): boolean => form === 'B'

function isValid(credentials: Credentials, request: HttpRequest, { keys, now, port }: ReferenceInput): boolean {
  const key = Object.hasOwn(keys, credentials.keyId) ? keys[credentials.keyId] : undefined
  if (key === undefined || !coversRequired(credentials, request) || !matchesKey(credentials, 'secret' in key))
    return false
  const time = timeOf(credentials, request)
  if (time === undefined || Math.abs(Math.floor(now) - time) > 300) return false
  if (credentials.expires !== undefined && credentials.expires < now) return false
  const matches = authorities(request, port).some((authority) => {
    const base = baseOf(credentials, request, authority)
    return base !== undefined && isSigned(base, credentials.signature, key)
  })
  return matches && isBodyValid(credentials.components, request)
}

function isSigned(base: string, signature: Buffer, key: { secret: Buffer } | { publicKey: KeyObject }): boolean {
  const signedBytes = Buffer.from(base, 'latin1')
  if ('publicKey' in key) return verify(null, signedBytes, key.publicKey, signature)
  const expected = createHmac('sha256', key.secret).update(signedBytes).digest()
  return signature.length === expected.length && timingSafeEqual(signature, expected)
}

function matchesKey({ form, algorithm, components }: Credentials, isHmac: boolean): boolean {
  if (algorithm === undefined) return true
  const name = form === 'A' ? algorithm.toLowerCase() : algorithm
  const timesSigned = components.includes('(created)') || components.includes('(expires)')
  if (form === 'A' && timesSigned && /^(rsa|hmac|ecdsa)/.test(name)) return false
  const names = isHmac ? ['hmac-sha256'] : ['ed25519']
  if (form === 'A') names.push('hs2019', ...(isHmac ? [] : ['ed25519-sha512']))
  return names.includes(name)
}

function coversRequired({ components, form }: Credentials, { target }: HttpRequest): boolean {
  if (new Set(components).size < components.length || components.length > 20) return false
  const covers = (...names: string[]): boolean => names.some((name) => components.includes(name))
  if (form === 'A') return covers('(request-target)') && covers('host') && covers('date', '(created)')
  const path = covers('@path', '@target-uri', '@request-target')
  const query = !target.includes('?') || covers('@query', '@target-uri', '@request-target')
  return covers('@method') && covers('@authority', '@target-uri') && path && query
}

function timeOf(credentials: Credentials, { headers }: HttpRequest): number | undefined {
  if (isB(credentials) || credentials.components.includes('(created)')) return credentials.created
  const date = valuesOf(headers, 'date')[0] ?? ''
  if (!/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} (GMT|UTC)$/.test(date)) return undefined
  const time = Date.parse(date) / 1_000
  return Number.isNaN(time) ? undefined : time
}

/** Returns the authorities that a Host header can mean: with and without a port, each as sent and in lowercase. */
function authorities({ headers }: HttpRequest, port: number): string[] {
  const host = valuesOf(headers, 'host')[0] ?? ''
  const name = host.replace(/:\d+$/, '')
  const all = [host, name, ...(name === host ? [`${name}:${port}`, `${name}:80`] : [])]
  return [...all, ...all.map((each) => each.toLowerCase())]
}

function baseOf(credentials: Credentials, request: HttpRequest, authority: string): string | undefined {
  const { method, target, headers } = request
  const path = target.split('?')[0]!
  const derived: Record<string, string> = isB(credentials)
    ? {
        '@method': method,
        '@authority': authority.toLowerCase(),
        '@scheme': 'http',
        '@path': path,
        '@query': target.includes('?') ? target.slice(path.length) : '?',
        '@request-target': target,
        '@target-uri': `http://${authority}${target}`,
      }
    : {
        '(request-target)': `${method.toLowerCase()} ${target}`,
        '(created)': String(credentials.created),
        '(expires)': String(credentials.expires),
      }
  const lines: string[] = []
  for (const name of credentials.components) {
    const values = name === 'host' ? [authority] : valuesOf(headers, name)
    const value = Object.hasOwn(derived, name) ? derived[name] : values[0]
    if (value === undefined || (!Object.hasOwn(derived, name) && values.length !== 1)) return undefined
    if (/^[@(]/.test(name) && !Object.hasOwn(derived, name)) return undefined
    lines.push(isB(credentials) ? `"${name}": ${value}` : `${name}: ${value}`)
  }
  if (isB(credentials)) lines.push(`"@signature-params": ${credentials.parameters}`)
  return lines.join('\n')
}

function isBodyValid(components: readonly string[], { headers, body }: HttpRequest): boolean {
  const covered = (name: string): string | undefined =>
    components.includes(name) ? valuesOf(headers, name)[0] : undefined
  const length = covered('content-length')
  if (length !== undefined && length !== String(body.length)) return false
  const members = [
    ...(covered('content-digest')?.split(',') ?? []).map((part) => /^(.+?)=:(.+):$/.exec(part.trim())),
    ...(covered('digest')?.split(',') ?? []).map((part) => /^(.+?)=(.+)$/.exec(part.trim())),
  ]
  return members.every((member) => {
    const algorithm = { 'sha-256': 'sha256', 'sha-512': 'sha512' }[member?.[1]?.toLowerCase() ?? '']
    return algorithm !== undefined && createHash(algorithm).update(body).digest('base64') === member?.[2]
  })
}
