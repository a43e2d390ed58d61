import { readFileSync } from 'node:fs'
import { parseSignature, verifySignature } from '@muster/http-signature'
import { describe, expect, it } from 'vitest'
import { blocksOf } from './blocks.ts'

const page = readFileSync(new URL('../guides/signing-in-any-language.md', import.meta.url), 'utf8')
const blocks = blocksOf(page)
const secret = /^secret=(\S+)$/m.exec(page)?.[1] ?? ''
const requests = blocks.filter(({ language }) => language === 'http').map(({ text }) => readRequest(text))

function readRequest(text: string) {
  const [head = '', body = ''] = text.split('\n\n')
  const [start = '', ...lines] = head.split('\n')
  const [method = '', target = ''] = start.split(' ')
  return { method, target, rawHeaders: lines.flatMap((line) => line.split(/: (.*)/s, 2)), body: Buffer.from(body) }
}

/**
 * Verifies a request of the page at the time `now`, in Unix seconds. Returns true or, if the request is invalid, a
 * reason code such as `clock-skew`.
 */
function verify({ body, ...request }: (typeof requests)[number], now: number): boolean | string {
  const parsed = parseSignature(request)
  if (parsed.outcome !== 'signed') return parsed.outcome
  const key = { algorithm: 'hmac-sha256' as const, secret: Buffer.from(secret, 'base64') }
  const outcome = verifySignature(parsed.signature, { key, requireDigest: true, body, now })
  return outcome.ok || outcome.reason
}

const signedAt = 1_795_163_418

describe.each([
  ['form B', 0],
  ['form A', 1],
])('the worked example of %s', (_form, index) => {
  const request = requests[index]!

  it('is accepted as documented', () => {
    expect(verify(request, signedAt)).toBe(true)
  })

  it('is rejected with a different body, path, or time', () => {
    expect(verify({ ...request, body: Buffer.from('{}') }, signedAt)).toBe('digest-mismatch')
    expect(verify({ ...request, target: '/graphql/v2' }, signedAt)).toBe('bad-signature')
    expect(verify(request, signedAt + 301)).toBe('clock-skew')
  })
})
