import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { verifyWebhook } from '../index.ts'

const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`
const secret = newSecret()
const body = JSON.stringify({
  type: 'device.state',
  timestamp: '2026-11-20T08:30:18.000Z',
  data: { id: '7', state: 'active' },
})
const id = 'msg_1'

// Stop the clock, so that ages are exact.
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }))
afterEach(() => void vi.useRealTimers())

function signed({
  secrets = [secret],
  text = body,
  age = 0,
}: {
  secrets?: string[]
  text?: string
  age?: number
} = {}) {
  const at = new Date(Date.now() - age * 1_000)
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': secrets.map((each) => new Webhook(each).sign(id, at, text)).join(' '),
  }
}

const reasonOf = (...given: Parameters<typeof verifyWebhook>): Promise<unknown> =>
  verifyWebhook(...given).then(
    () => 'verified',
    (error: { reason?: string }) => error.reason,
  )

describe('verifyWebhook', () => {
  it('returns a valid delivery for all types of headers and body', async () => {
    const expected = {
      id,
      type: 'device.state',
      timestamp: '2026-11-20T08:30:18.000Z',
      data: { id: '7', state: 'active' },
    }
    expect(await verifyWebhook(signed(), body, secret)).toEqual(expected)
    expect(await verifyWebhook(new Headers(signed()), Buffer.from(body), secret)).toEqual(expected)
    expect(await verifyWebhook(signed(), body, secret.replace('whsec_', ''))).toEqual(expected)
  })

  it('accepts any matching pair of signature and secret during a rotation', async () => {
    const next = newSecret()
    expect(await reasonOf(signed({ secrets: [next, secret] }), body, secret)).toBe('verified')
    expect(await reasonOf(signed({ secrets: [secret] }), body, [next, secret])).toBe('verified')
    expect(await reasonOf(signed({ secrets: [next, newSecret()] }), body, secret)).toBe('bad-signature')
    expect(await reasonOf(signed(), body, [])).toBe('bad-signature')
  })

  it('ignores signatures of other versions', async () => {
    const headers = signed()
    const other = `v1a,${randomBytes(64).toString('base64')} v2,x nonsense`
    expect(
      await reasonOf({ ...headers, 'webhook-signature': `${other} ${headers['webhook-signature']}` }, body, secret),
    ).toBe('verified')
    expect(await reasonOf({ ...headers, 'webhook-signature': other }, body, secret)).toBe('bad-signature')
  })

  type Headers = ReturnType<typeof signed>
  it.each<[string, (headers: Headers) => Parameters<typeof verifyWebhook>]>([
    ['another body', (headers) => [headers, body.replace('active', 'inactive'), secret]],
    ['another ID', (headers) => [{ ...headers, 'webhook-id': 'msg_2' }, body, secret]],
    [
      'another time',
      (headers) => [
        { ...headers, 'webhook-timestamp': String(Number(headers['webhook-timestamp']) + 1) },
        body,
        secret,
      ],
    ],
    ['another secret', (headers) => [headers, body, newSecret()]],
    ['no signature', (headers) => [{ ...headers, 'webhook-signature': 'v1,' }, body, secret]],
    ['a signature that is not base64', (headers) => [{ ...headers, 'webhook-signature': 'v1,§' }, body, secret]],
  ])('rejects %s', async (_name, alter) => {
    expect(await reasonOf(...alter(signed()))).toBe('bad-signature')
  })

  it.each([
    [300, undefined, 'verified'],
    [301, undefined, 'too-old'],
    [-300, undefined, 'verified'],
    [-301, undefined, 'too-new'],
    [400, 500, 'verified'],
    [11, 10, 'too-old'],
  ])('checks a delivery that is %s s old with a tolerance of %s: %s', async (age, tolerance, reason) => {
    expect(await reasonOf(signed({ age }), body, secret, { tolerance })).toBe(reason)
  })

  it.each(['webhook-id', 'webhook-timestamp', 'webhook-signature'])(
    'rejects a delivery unless it has %s exactly once',
    async (name) => {
      expect(await reasonOf({ ...signed(), [name]: undefined }, body, secret)).toBe('missing-header')
      expect(await reasonOf({ ...signed(), [name]: ['a', 'b'] }, body, secret)).toBe('missing-header')
    },
  )

  it('rejects an invalid timestamp and too many signatures', async () => {
    expect(await reasonOf({ ...signed(), 'webhook-timestamp': '1e9' }, body, secret)).toBe('malformed-header')
    expect(await reasonOf({ ...signed(), 'webhook-signature': 'v1,AAAA '.repeat(30) }, body, secret)).toBe(
      'malformed-header',
    )
  })

  it.each(['', '[]', '{"type":1}', '{"type":"a","timestamp":"b","data":null}'])('rejects the body %j', async (text) => {
    expect(await reasonOf(signed({ text }), text, secret)).toBe('malformed-body')
  })

  it('requires a valid secret', async () => {
    for (const wrong of [
      '',
      'whsec_',
      'whsec_§',
      generateKeyPairSync('ed25519').publicKey.export({ format: 'pem', type: 'spki' }),
    ])
      await expect(verifyWebhook(signed(), body, wrong as string)).rejects.toThrow(TypeError)
  })
})
