import { hmacOf, host, postBody, type Wire } from './signed-requests.ts'

/** The parts of a signed request. `formA` and `formB` sign even an invalid list of components with `secret`. */
export interface Handmade {
  secret: Uint8Array
  headers: ReadonlyMap<string, string>
  /** Further headers, which the signature does not cover. */
  more?: [name: string, value: string][]
  target?: string
  body?: string
}

/** Builds a request signed in form B (RFC 9421). `items` are component identifiers with their quotes and parameters. */
export function formB(items: readonly string[], parameters: string, handmade: Handmade): Wire {
  const { secret, headers, more = [], target = '/graphql/v1', body = postBody } = handmade
  const path = target.replace(/\?.*$/, '')
  const values: Record<string, string> = {
    '@method': 'POST',
    '@authority': host,
    '@scheme': 'http',
    '@path': path,
    '@query': target.slice(path.length) || '?',
    '@target-uri': `http://${host}${target}`,
    '@request-target': target,
  }
  const lines = items.map((item) => {
    const name = /"([^"]*)"/.exec(item)?.[1] ?? item
    return `${item}: ${values[name] ?? headers.get(name.toLowerCase()) ?? ''}`
  })
  const input = `(${items.join(' ')})${parameters}`
  const mac = hmacOf(secret, [...lines, `"@signature-params": ${input}`].join('\n'))
  const signature: Wire['headers'] = [
    ['Signature-Input', `a=${input}`],
    ['Signature', `a=:${mac}:`],
  ]
  return { method: 'POST', target, headers: [...headers, ...signature, ...more], body }
}

/**
 * Builds a request with a signature in form A (cavage-12) that covers the headers `names`. Replaces `$` in the
 * parameters with the signature.
 */
export function formA(names: readonly string[], parameters: string, handmade: Handmade): Wire {
  const { secret, headers, more = [], target = '/graphql/v1', body = postBody } = handmade
  const time = (name: string): string => new RegExp(`(?:^|[ ,])${name}="?([^",]*)`).exec(parameters)?.[1] ?? ''
  const lines = names.map((name) => {
    if (name === '(request-target)') return `${name}: post ${target}`
    if (name === '(created)' || name === '(expires)') return `${name}: ${time(name.slice(1, -1))}`
    return `${name.toLowerCase()}: ${headers.get(name.toLowerCase()) ?? ''}`
  })
  const mac = hmacOf(secret, lines.join('\n'))
  const authorization: [string, string] = ['Authorization', `Signature ${parameters.replace('$', mac)}`]
  return { method: 'POST', target, headers: [...headers, authorization, ...more], body }
}
