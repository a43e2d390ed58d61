import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { ed25519PrivatePem, ed25519PublicPem, outcomeOf, signed } from '../test/fixtures.ts'
import { generateSecret, parsePublicKey } from './index.ts'

const base64 = 'JrQLj5P/89iXES9+vFgrIy29clF9CC/oPPsw3c5D0bs='

test('generates 32 bytes that shells preserve, without a zero byte or a trailing newline', () => {
  const secrets = Array.from({ length: 2000 }, generateSecret)
  for (const secret of secrets) {
    const bytes = Buffer.from(secret, 'base64')
    expect(bytes.toString('base64')).toBe(secret)
    expect(bytes).toHaveLength(32)
    expect(bytes.includes(0)).toBe(false)
    expect(bytes.at(-1)).not.toBe(0x0a)
  }
  expect(new Set(secrets).size).toBe(secrets.length)
  const bytes = new Set(secrets.flatMap((secret) => [...Buffer.from(secret, 'base64')]))
  expect(bytes.size).toBe(255)
})

describe('parsePublicKey', () => {
  test.each([
    ['PEM', ed25519PublicPem],
    ['PEM with a newline at the end', `${ed25519PublicPem}\n`],
    ['PEM with Windows line ends', ed25519PublicPem.replaceAll('\n', '\r\n')],
    ['raw base64', base64],
    ['raw base64 with whitespace around it', ` ${base64}\n`],
  ])('accepts %s', (_, text) => {
    const outcome = parsePublicKey(text)
    expect(outcome).toMatchObject({ ok: true, base64 })
    if (!outcome.ok) return
    expect(outcome.publicKey.equals(createPublicKey(ed25519PublicPem))).toBe(true)
    const request = signed({ keyName: 'ed25519' })
    expect(outcomeOf(request, { key: { algorithm: 'ed25519', publicKey: outcome.publicKey } })).toBe('ok')
  })

  const pem = (type: 'rsa' | 'ec' | 'x25519' | 'ed448'): string => {
    const options = { modulusLength: 1024, namedCurve: 'P-256' }
    return generateKeyPairSync(type as 'rsa', options).publicKey.export({ format: 'pem', type: 'spki' }) as string
  }

  test.each([
    ['nothing', '', '32 bytes'],
    ['text', 'abc', '32 bytes'],
    ['31 bytes', Buffer.alloc(31, 1).toString('base64'), '32 bytes'],
    ['33 bytes', Buffer.alloc(33, 1).toString('base64'), '32 bytes'],
    ['base64url', base64.replace('/', '_').replace('+', '-'), '32 bytes'],
    ['base64 without its padding', base64.slice(0, -1), '32 bytes'],
    ['hex', Buffer.from(base64, 'base64').toString('hex'), '32 bytes'],
    ['OpenSSH', `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${base64}`, 'openssl'],
    ['a private key', ed25519PrivatePem, 'private key'],
    ['a public and a private key', `${ed25519PublicPem}\n${ed25519PrivatePem}`, 'private key'],
    ['two keys', `${ed25519PublicPem}\n${ed25519PublicPem}`, 'PUBLIC KEY'],
    ['a certificate', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----', 'PUBLIC KEY'],
    [
      'a block with other contents',
      '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----',
      'does not contain a valid public key',
    ],
    ['RSA', pem('rsa'), 'of type rsa'],
    ['P-256', pem('ec'), 'of type ec'],
    ['X25519', pem('x25519'), 'of type x25519'],
    ['Ed448', pem('ed448'), 'of type ed448'],
    ['a point of small order', Buffer.alloc(32).toString('base64'), 'small order'],
    [
      'a point of small order with the sign bit',
      Buffer.from([...Buffer.alloc(31), 0x80]).toString('base64'),
      'small order',
    ],
    ['the neutral point', Buffer.from([1, ...Buffer.alloc(31)]).toString('base64'), 'small order'],
  ])('rejects %s', (_, text, hint) => {
    expect(parsePublicKey(text)).toEqual({ ok: false, message: expect.stringContaining(hint) })
  })
})
