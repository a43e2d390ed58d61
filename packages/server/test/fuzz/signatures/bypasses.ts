import { createHash } from 'node:crypto'
import { formA, formB } from './handmade.ts'
import { host, postBody, type Wire } from './signed-requests.ts'

export interface BypassOptions {
  keyId: string
  secret: Buffer
  publicPem: string
  now: number
}

const digestOf = (text: string): string => createHash('sha256').update(text).digest('base64')
const dateOf = (seconds: number): string => new Date(seconds * 1_000).toUTCString()

const usualB = ['"@method"', '"@authority"', '"@target-uri"']
const usualA = ['(request-target)', 'host', 'date']

/**
 * `invalid` contains requests that a flawed signature verifier could accept, each with one fault. `valid` contains the
 * same kinds of requests without a fault.
 */
export function bypasses({ keyId, secret, publicPem, now }: BypassOptions): {
  valid: Wire[]
  invalid: Record<string, Wire>
} {
  const headers = new Map([
    ['host', host],
    ['date', dateOf(now)],
    ['content-type', 'application/json'],
    ['content-length', String(postBody.length)],
    ['content-digest', `sha-256=:${digestOf(postBody)}:`],
    ['digest', `SHA-256=${digestOf(postBody)}`],
  ])
  const plain = { secret, headers }
  const withHeader = (name: string, value: string) => ({ secret, headers: new Map([...headers, [name, value]]) })
  const usual = `;created=${now};keyid="${keyId}"`
  const b = (items = usualB, parameters = usual, handmade = plain): Wire => formB(items, parameters, handmade)
  const listA = (names: readonly string[]): string => `keyId="${keyId}",headers="${names.join(' ')}",signature="$"`
  const a = (names = usualA, parameters = listA(names), handmade = plain): Wire => formA(names, parameters, handmade)
  const append = (wire: Wire, ...more: Wire['headers']): Wire => ({ ...wire, headers: [...wire.headers, ...more] })
  const prepend = (wire: Wire, ...more: Wire['headers']): Wire => ({ ...wire, headers: [...more, ...wire.headers] })
  const credentials = (wire: Wire): Wire['headers'] => wire.headers.filter(([name]) => /^(Auth|Sign)/.test(name))
  const anHourAgo = dateOf(now - 3_600)
  const timed = ['(request-target)', 'host', '(created)']
  const valid = [
    a(),
    b(),
    a([...usualA, 'digest']),
    b([...usualB, '"content-digest"']),
    a(timed, `${listA(timed)},created=${now}`),
  ]
  const invalid = {
    'covers only the date': a(['date']),
    'omits the list of headers, which some verifiers treat as the date': a(['date'], `keyId="${keyId}",signature="$"`),
    'contains an empty list of headers': a([], `keyId="${keyId}",headers="",signature="$"`),
    'covers host in a parameter instead of the list': a(
      ['(request-target)', 'date'],
      `keyId="${keyId}",host="x",headers="(request-target) date",signature="$"`,
    ),
    'is an hour old, with a new x-date': append(a(usualA, listA(usualA), withHeader('date', anHourAgo)), [
      'X-Date',
      dateOf(now),
    ]),
    'is an hour old, with a new created parameter that is not covered': a(
      usualA,
      `${listA(usualA)},created=${now}`,
      withHeader('date', anHourAgo),
    ),
    'is ten years old': a(usualA, listA(usualA), withHeader('date', dateOf(now - 315_360_000))),
    'lists (created) without the parameter': a(timed),
    'lists (created) with an old algorithm name': a(timed, `${listA(timed)},algorithm="hmac-sha256",created=${now}`),
    'lists the request line by its old name': a(['request-line', ...usualA]),
    'repeats a parameter with a wrong second value': a(usualA, `${listA(usualA)},keyId="unknown"`),
    'repeats a parameter with a wrong first value': a(usualA, `keyId="unknown",${listA(usualA)}`),
    'hides a parameter behind a quoted comma': a(usualA, `x=",keyId=${keyId}",headers="date",signature="$"`),
    'names an algorithm of another key type': a(usualA, `${listA(usualA)},algorithm="ed25519"`),
    'names a weak algorithm': a(usualA, `${listA(usualA)},algorithm="hmac-sha1"`),
    'covers a digest of another body': a(
      [...usualA, 'digest'],
      undefined,
      withHeader('digest', `SHA-256=${digestOf('')}`),
    ),
    'covers only a weak digest': a(
      [...usualA, 'digest'],
      undefined,
      withHeader('digest', 'MD5=1B2M2Y8AsgTpgAmY7PhCfg=='),
    ),
    'covers the digest of a replaced body': {
      ...a([...usualA, 'digest']),
      body: postBody.replace('id', 'ID'),
    },

    'covers nothing': b([]),
    'covers no method': b(usualB.slice(1)),
    'covers no authority': b(['"@method"', '"@request-target"']),
    'contains a second signature': append(
      b(usualB),
      ['Signature-Input', `proxy=("@method")${usual}`],
      ['Signature', `proxy=:${'A'.repeat(43)}=:`],
    ),
    'covers no path': b(usualB.slice(0, 2)),
    'does not cover its query': formB(['"@method"', '"@authority"', '"@path"'], usual, {
      ...plain,
      target: '/graphql/v1?a=1',
    }),
    'contains no created parameter': b(usualB, `;keyid="${keyId}"`),
    'uses a string for created': b(usualB, `;created="${now}";keyid="${keyId}"`),
    'uses a token for created': b(usualB, `;created=abc;keyid="${keyId}"`),
    'uses a decimal for created': b(usualB, `;created=${now}.0;keyid="${keyId}"`),
    'was created an hour ago': b(usualB, `;created=${now - 3_600};keyid="${keyId}"`),
    'was created an hour in the future': b(usualB, `;created=${now + 3_600};keyid="${keyId}"`),
    'has expired': b(usualB, `${usual};expires=${now - 1}`),
    'covers a component twice': b([...usualB, '"@method"']),
    'covers a component with an unknown parameter': b([...usualB, '"date";evil']),
    'covers only one member of the digest': b([...usualB, '"content-digest";key="sha-512"']),
    'covers the parameters themselves': b([...usualB, '"@signature-params"']),
    'covers the status of a response': b([...usualB, '"@status"']),
    'covers a missing header': b([...usualB, '"x-missing"']),
    'covers a header named method': append(b(['"@authority"', '"@target-uri"', '"method"']), ['Method', 'POST']),
    'covers a content-digest of another body': b(
      [...usualB, '"content-digest"'],
      usual,
      withHeader('content-digest', `sha-256=:${digestOf('')}:`),
    ),
    'covers a strong digest and a weak digest': b(
      [...usualB, '"content-digest"'],
      usual,
      withHeader('content-digest', `sha-256=:${digestOf(postBody)}:, md5=:1B2M2Y8AsgTpgAmY7PhCfg==:`),
    ),
    'names another algorithm': b(usualB, `${usual};alg="ed25519"`),
    'names an algorithm that the server does not support': b(usualB, `${usual};alg="rsa-pss-sha512"`),
    'names an unknown key': b(usualB, `;created=${now};keyid="MKNOBODYHASTHISKEY00"`),
    'uses a public key as an HMAC secret': b(usualB, usual, {
      ...plain,
      secret: Buffer.from(publicPem),
    }),
    'uses different labels for its list and its signature': ((wire) => ({
      ...wire,
      headers: wire.headers.map(([name, value]): [string, string] => [
        name,
        name === 'Signature' ? value.replace('a=', 'b=') : value,
      ]),
    }))(b()),
    'adds a parameter to its signature': ((wire) => ({
      ...wire,
      headers: wire.headers.map(([name, value]): [string, string] => [
        name,
        name === 'Signature' ? `${value};key="a"` : value,
      ]),
    }))(b()),
    'contains a list but no signature': ((wire) => ({
      ...wire,
      headers: wire.headers.filter(([name]) => name !== 'Signature'),
    }))(b()),

    'contains valid signatures in both forms': append(a(), ...credentials(b())),
    'contains two hosts, the first of them evil': prepend(a(), ['Host', 'evil.example']),
    'contains two hosts, the second of them evil': append(b(), ['Host', 'evil.example']),
    'contains two dates': append(a(), ['Date', dateOf(now)]),
    'contains two digests': append(b([...usualB, '"content-digest"']), ['Content-Digest', `sha-256=:${digestOf('')}:`]),
    'targets another host': b(usualB, usual, withHeader('host', 'evil.example')),
    'targets another host, with a forwarded host': append(b(usualB, usual, withHeader('host', 'evil.example')), [
      'X-Forwarded-Host',
      host,
    ]),
    'uses an absolute URL as its target': { ...b(), target: `http://${host}/graphql/v1` },
  }
  return { valid, invalid }
}
