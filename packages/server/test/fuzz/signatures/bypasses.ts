import { createHash } from 'node:crypto'
import { formA, formB } from './handmade.ts'
import { host, postBody, type Wire } from './signed-requests.ts'

export interface BypassOptions {
  keyId: string
  secret: Buffer
  /** The public half of another key, in the form in which it is registered. */
  publicPem: string
  now: number
}

const digestOf = (text: string): string => createHash('sha256').update(text).digest('base64')
const dateOf = (seconds: number): string => new Date(seconds * 1_000).toUTCString()

const usualB = ['"@method"', '"@authority"', '"@target-uri"']
const usualA = ['(request-target)', 'host', 'date']

/**
 * Ways in which verifiers have been fooled, each a request that one of them takes: a name, and what is sent. All of them are signed
 * with the key, and right but for the one thing; `right` are the same without it.
 */
export function bypasses({ keyId, secret, publicPem, now }: BypassOptions): {
  right: Wire[]
  wrong: Record<string, Wire>
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
  const having = (name: string, value: string) => ({ secret, headers: new Map([...headers, [name, value]]) })
  const usual = `;created=${now};keyid="${keyId}"`
  const b = (items = usualB, parameters = usual, handmade = plain): Wire => formB(items, parameters, handmade)
  const listA = (names: readonly string[]): string => `keyId="${keyId}",headers="${names.join(' ')}",signature="$"`
  const a = (names = usualA, parameters = listA(names), handmade = plain): Wire => formA(names, parameters, handmade)
  const behind = (wire: Wire, ...more: Wire['headers']): Wire => ({ ...wire, headers: [...wire.headers, ...more] })
  const inFront = (wire: Wire, ...more: Wire['headers']): Wire => ({ ...wire, headers: [...more, ...wire.headers] })
  const credentials = (wire: Wire): Wire['headers'] => wire.headers.filter(([name]) => /^(Auth|Sign)/.test(name))
  const anHourAgo = dateOf(now - 3_600)
  const timed = ['(request-target)', 'host', '(created)']
  const right = [
    a(),
    b(),
    a([...usualA, 'digest']),
    b([...usualB, '"content-digest"']),
    a(timed, `${listA(timed)},created=${now}`),
  ]
  const wrong = {
    'covers the date alone': a(['date']),
    'has no list of headers, which some take for the date': a(['date'], `keyId="${keyId}",signature="$"`),
    'has an empty list of headers': a([], `keyId="${keyId}",headers="",signature="$"`),
    'says that it covers host by a parameter of that name': a(
      ['(request-target)', 'date'],
      `keyId="${keyId}",host="x",headers="(request-target) date",signature="$"`,
    ),
    'is of an hour ago, with a fresh x-date beside it': behind(a(usualA, listA(usualA), having('date', anHourAgo)), [
      'X-Date',
      dateOf(now),
    ]),
    'is of an hour ago, with a fresh created that is not covered': a(
      usualA,
      `${listA(usualA)},created=${now}`,
      having('date', anHourAgo),
    ),
    'is of ten years ago': a(usualA, listA(usualA), having('date', dateOf(now - 315_360_000))),
    'lists (created) and has none': a(timed),
    'lists (created) with an old name of an algorithm': a(
      timed,
      `${listA(timed)},algorithm="hmac-sha256",created=${now}`,
    ),
    'lists the line of the request by its old name': a(['request-line', ...usualA]),
    'gives a parameter twice, the second one wrong': a(usualA, `${listA(usualA)},keyId="nobody"`),
    'gives a parameter twice, the first one wrong': a(usualA, `keyId="nobody",${listA(usualA)}`),
    'hides a parameter behind a comma in quotes': a(usualA, `x=",keyId=${keyId}",headers="date",signature="$"`),
    'names another algorithm than the key’s': a(usualA, `${listA(usualA)},algorithm="ed25519"`),
    'names an algorithm of weak keys': a(usualA, `${listA(usualA)},algorithm="hmac-sha1"`),
    'covers a digest of another body': a([...usualA, 'digest'], undefined, having('digest', `SHA-256=${digestOf('')}`)),
    'covers a weak digest alone': a([...usualA, 'digest'], undefined, having('digest', 'MD5=1B2M2Y8AsgTpgAmY7PhCfg==')),
    'covers the digest of a body that was exchanged': {
      ...a([...usualA, 'digest']),
      body: postBody.replace('id', 'ID'),
    },

    'covers nothing': b([]),
    'covers no method': b(usualB.slice(1)),
    'covers no authority': b(['"@method"', '"@request-target"']),
    'comes with a second signature': behind(
      b(usualB),
      ['Signature-Input', `proxy=("@method")${usual}`],
      ['Signature', `proxy=:${'A'.repeat(43)}=:`],
    ),
    'covers no path': b(usualB.slice(0, 2)),
    'covers no query, and has one': formB(['"@method"', '"@authority"', '"@path"'], usual, {
      ...plain,
      target: '/graphql/v1?a=1',
    }),
    'says not when it was made': b(usualB, `;keyid="${keyId}"`),
    'says when in words': b(usualB, `;created="${now}";keyid="${keyId}"`),
    'says when by a token': b(usualB, `;created=abc;keyid="${keyId}"`),
    'says when as a decimal': b(usualB, `;created=${now}.0;keyid="${keyId}"`),
    'was made an hour ago': b(usualB, `;created=${now - 3_600};keyid="${keyId}"`),
    'will be made in an hour': b(usualB, `;created=${now + 3_600};keyid="${keyId}"`),
    'has expired': b(usualB, `${usual};expires=${now - 1}`),
    'covers one thing twice': b([...usualB, '"@method"']),
    'covers a thing with a parameter that nobody knows': b([...usualB, '"date";evil']),
    'covers one member of the digest only': b([...usualB, '"content-digest";key="sha-512"']),
    'covers the parameters themselves': b([...usualB, '"@signature-params"']),
    'covers the status of an answer': b([...usualB, '"@status"']),
    'covers a header that is not there': b([...usualB, '"x-missing"']),
    'has the method as a header': behind(b(['"@authority"', '"@target-uri"', '"method"']), ['Method', 'POST']),
    'covers a digest of another body ': b(
      [...usualB, '"content-digest"'],
      usual,
      having('content-digest', `sha-256=:${digestOf('')}:`),
    ),
    'covers a good digest and a weak one': b(
      [...usualB, '"content-digest"'],
      usual,
      having('content-digest', `sha-256=:${digestOf(postBody)}:, md5=:1B2M2Y8AsgTpgAmY7PhCfg==:`),
    ),
    'names another algorithm': b(usualB, `${usual};alg="ed25519"`),
    'names an algorithm of another kind': b(usualB, `${usual};alg="rsa-pss-sha512"`),
    'is by a key that nobody has': b(usualB, `;created=${now};keyid="MKNOBODYHASTHISKEY00"`),
    'is by the public half of a key, as if that were a secret': b(usualB, usual, {
      ...plain,
      secret: Buffer.from(publicPem),
    }),
    'has its list under another label': ((wire) => ({
      ...wire,
      headers: wire.headers.map(([name, value]): [string, string] => [
        name,
        name === 'Signature' ? value.replace('a=', 'b=') : value,
      ]),
    }))(b()),
    'has a parameter at its signature': ((wire) => ({
      ...wire,
      headers: wire.headers.map(([name, value]): [string, string] => [
        name,
        name === 'Signature' ? `${value};key="a"` : value,
      ]),
    }))(b()),
    'has a list and no signature': ((wire) => ({
      ...wire,
      headers: wire.headers.filter(([name]) => name !== 'Signature'),
    }))(b()),

    'has both forms, both good': behind(a(), ...credentials(b())),
    'has two hosts, the first one evil': inFront(a(), ['Host', 'evil.example']),
    'has two hosts, the second one evil': behind(b(), ['Host', 'evil.example']),
    'has two dates': behind(a(), ['Date', dateOf(now)]),
    'has two digests': behind(b([...usualB, '"content-digest"']), ['Content-Digest', `sha-256=:${digestOf('')}:`]),
    'is for another host': b(usualB, usual, having('host', 'evil.example')),
    'is for another host, and says that it was forwarded': behind(b(usualB, usual, having('host', 'evil.example')), [
      'X-Forwarded-Host',
      host,
    ]),
    'asks for a whole address': { ...b(), target: `http://${host}/graphql/v1` },
  }
  return { right, wrong }
}
