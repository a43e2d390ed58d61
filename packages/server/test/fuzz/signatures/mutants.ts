import { createHash } from 'node:crypto'
import type { Random } from '../random.ts'
import { formA, formB } from './handmade.ts'
import { hmacOf, host, postBody, toBytes, type Wire } from './signed-requests.ts'

/** Strings that have a special meaning to some parser. */
const pieces = [
  ...[
    '"',
    '\\',
    ',',
    ';',
    '=',
    ':',
    '(',
    ')',
    ' ',
    '\t',
    '\n',
    '\r\n',
    '\0',
    '?',
    '#',
    '%',
    '/',
    '@',
    '+',
    '-',
    '.',
    '0',
    '1',
  ],
  ...[
    '%2f',
    '%00',
    '"";',
    ';created',
    ';key="a"',
    ';sf',
    ';bs',
    ';req',
    '"@method"',
    '"date"',
    '?1',
    '1.0',
    '1e9',
    '=:',
    ':AAAA:',
  ],
  ...[
    '\xff',
    'é',
    '__proto__',
    'Signature ',
    'headers=""',
    'keyId="A",',
    'created=1,',
    'sha-256=:AA==:',
    'GMT',
    'UTC',
    ', ',
  ],
]

/** Changes, removes, duplicates, or inserts bytes. */
function damaged(wire: Wire, random: Random): Buffer {
  let bytes = toBytes(wire)
  for (let edits = 1 + random.below(3); edits > 0; edits--) {
    const at = random.below(bytes.length)
    const length = random.pick([1, 1, 1, 2, 5, 20])
    const replaced = random.pick<() => Buffer>([
      () => Buffer.from([bytes[at]! ^ (1 << random.below(8))]),
      () => Buffer.alloc(0),
      () => Buffer.concat([bytes.subarray(at, at + length), bytes.subarray(at, at + length)]),
      () => Buffer.concat([Buffer.from(random.pick(pieces), 'latin1'), bytes.subarray(at, at + length)]),
      () => Buffer.from(random.pick(pieces), 'latin1'),
    ])()
    const isFlip = replaced.length === 1
    bytes = Buffer.concat([bytes.subarray(0, at), replaced, bytes.subarray(at + (isFlip ? 1 : length))])
  }
  return bytes
}

const credentials = ['authorization', 'signature', 'signature-input', 'date', 'digest', 'content-digest', 'host']

/**
 * Removes, duplicates, swaps, renames, or reorders headers, and sometimes changes the body, the method, or the target.
 */
function rearranged(wire: Wire, other: Wire, random: Random): Buffer {
  const headers = wire.headers.map(([name, value]): [string, string] => [name, value])
  const named = headers.filter(([name]) => credentials.includes(name.toLowerCase()))
  const chosen = random.pick(random.oneIn(4) ? headers : named)
  const at = headers.indexOf(chosen)
  const theirs = random.pick(other.headers)
  const changes: (() => unknown)[] = [
    () => headers.splice(at, 1),
    () => headers.push([...chosen]),
    () => headers.unshift([chosen[0], theirs[1]]),
    () => headers.push(...other.headers.filter(([name]) => credentials.includes(name.toLowerCase()))),
    () => headers.splice(at, 1, [chosen[0], theirs[1]]),
    () => headers.splice(at, 1, [chosen[0].toUpperCase(), chosen[1]]),
    () => headers.splice(at, 1, [random.pick(['X-Date', 'Signature', 'Authorization', '@method']), chosen[1]]),
    () => headers.push(['X-Date', 'Fri, 20 Nov 2026 08:30:18 GMT'], ['X-Forwarded-Host', 'muster.example']),
    () => headers.splice(at, 1, [chosen[0], `${chosen[1]}, ${theirs[1]}`]),
    () => headers.reverse(),
  ]
  for (let times = 1 + random.below(2); times > 0; times--) random.pick(changes)()
  const body = random.oneIn(4) ? random.pick(['', '{}', `${wire.body} `, other.body]) : wire.body
  const method = random.oneIn(10) ? random.pick(['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH']) : wire.method
  const target = random.oneIn(10)
    ? random.pick([other.target, `${wire.target}?a=1`, `http://evil${wire.target}`])
    : wire.target
  return toBytes({ method, target, headers, body })
}

export interface KeyHolder {
  keyId: string
  secret: Buffer
  now: number
}

/** Builds a request whose signature, if present, is correct, so that only other rules can reject the request. */
function handmade(holder: KeyHolder, random: Random): Buffer {
  return random.oneIn(2) ? handmadeA(holder, random) : handmadeB(holder, random)
}

const dateOf = (now: number): string => new Date(now * 1_000).toUTCString()

const sha256 = (text: string): string => createHash('sha256').update(text).digest('base64')

function plainHeaders(now: number, random: Random): Map<string, string> {
  const hash = random.oneIn(4) ? sha256('another body') : sha256(postBody)
  return new Map([
    ['host', host],
    ['date', dateOf(random.oneIn(5) ? now - random.pick([301, 86_400, -301]) : now)],
    ['content-type', 'application/json'],
    ['content-length', String(postBody.length)],
    ['content-digest', random.pick([`sha-256=:${hash}:`, `md5=:AAAA:`, `sha-256=:${hash}:, md5=:AAAA:`])],
    ['digest', random.pick([`SHA-256=${hash}`, `SHA-256=${hash},MD5=AAAA`, 'MD5=AAAA'])],
  ])
}

const randomSelection = (usual: readonly string[], unusual: readonly string[], random: Random): string[] => {
  const list = usual.filter(() => !random.oneIn(8))
  if (random.oneIn(3)) list.splice(random.below(list.length + 1), 0, random.pick([...usual, ...unusual]))
  return list
}

function handmadeB({ keyId, secret, now }: KeyHolder, random: Random): Buffer {
  const headers = plainHeaders(now, random)
  const unusual = [
    '"date"',
    '"digest"',
    '"x-date"',
    '"@status"',
    '"@signature-params"',
    '"content-digest";key="sha-256"',
    '"@method";req',
  ]
  unusual.push(
    '"host"',
    '"@query"',
    '"@scheme"',
    '"@query-param";name="a"',
    '"content-type";sf',
    '"Date"',
    'date',
    '"content-length"',
  )
  const usual = [
    '"@method"',
    '"@authority"',
    random.pick(['"@path"', '"@target-uri"', '"@request-target"']),
    '"content-digest"',
  ]
  const items = randomSelection(usual, unusual, random)
  const times = [now, now - 300, now - 301, now + 301, 1, `"${now}"`, `${now}.0`, 'abc', `0${now}`, -now]
  const parameters = [
    `;created=${random.oneIn(2) ? now : random.pick(times)}`,
    `;keyid="${keyId}"`,
    random.pick([
      '',
      ';alg="hmac-sha256"',
      ';alg="ed25519"',
      ';alg="rsa-pss-sha512"',
      ';alg=hmac-sha256',
      ';alg="none"',
    ]),
    random.pick([
      '',
      '',
      `;expires=${now + 60}`,
      `;expires=${now - 1}`,
      ';expires="never"',
      `;created=${now}`,
      `;keyid="x"`,
    ]),
  ].filter(() => !random.oneIn(12))
  const wire = formB(items, parameters.join(''), { secret, headers })
  if (!random.oneIn(6)) return toBytes(wire)
  // The server must reject a request with two signatures.
  const doubled = wire.headers.map(([name, value]): [string, string] => {
    if (name === 'Signature-Input') return [name, `b=("@method");created=${now};keyid="x", ${value}`]
    return name === 'Signature' ? [name, `b=:${hmacOf(secret, 'b')}:, ${value}`] : [name, value]
  })
  return toBytes({ ...wire, headers: doubled })
}

function handmadeA({ keyId, secret, now }: KeyHolder, random: Random): Buffer {
  const headers = plainHeaders(now, random)
  const times = [now, now - 301, now + 301, 0, 'abc', `${now}.5`]
  const [created, expires] = [random.oneIn(2) ? now : random.pick(times), random.pick([now + 60, now - 1, 'never'])]
  const usual = ['(request-target)', 'host', random.pick(['date', '(created)']), 'content-type', 'digest']
  const names = randomSelection(
    usual,
    ['(created)', '(expires)', 'x-date', 'request-line', 'content-length', '', 'Host', '@method'],
    random,
  )
  const parameters = [
    `keyId="${keyId}"`,
    random.pick([
      'algorithm="hmac-sha256"',
      'algorithm="hs2019"',
      'algorithm="rsa-sha256"',
      'algorithm="ed25519"',
      'x="1"',
    ]),
    `headers="${names.join(' ')}"`,
    'signature="$"',
    `created=${created}`,
    random.pick([`expires=${expires}`, 'host="x"', 'date="x"', 'headers="date"', 'keyid="x"', 'nothing=""']),
  ].filter(() => !random.oneIn(12))
  const wire = formA(names, parameters.join(random.pick([',', ',', ', ', ',,'])), { secret, headers })
  if (!random.oneIn(3)) return toBytes(wire)
  const moved = wire.headers.map(([name, value]): [string, string] =>
    name === 'Authorization' ? ['Signature', value.replace('Signature ', '')] : [name, value],
  )
  return toBytes({ ...wire, headers: moved })
}

/** Returns a random mutation of a valid request, or a hand-built request. */
export function mutant(valid: readonly Wire[], holder: KeyHolder, random: Random): Buffer {
  const kind = random.below(10)
  if (kind < 4) return damaged(random.pick(valid), random)
  return kind < 7 ? rearranged(random.pick(valid), random.pick(valid), random) : handmade(holder, random)
}
