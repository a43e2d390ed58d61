import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createKeyring, createSecrets } from './secrets.ts'

const owner = { accountId: 'account-1', key: 'MKAAAAAAAA' }
const secret = randomBytes(32)

describe('encrypted secrets', () => {
  it('can be decrypted, and differ if the same secret is encrypted twice', () => {
    const secrets = createSecrets(randomBytes(32))
    const first = secrets.encrypt(owner, secret)
    expect(secrets.decrypt(owner, first)).toEqual(secret)
    expect(secrets.encrypt(owner, secret)).not.toEqual(first)
    expect(first.includes(secret)).toBe(false)
  })

  it.each([
    { accountId: 'account-2', key: owner.key },
    { accountId: owner.accountId, key: 'MKBBBBBBBB' },
    { accountId: 'account-1","MKAAAAAAAA', key: '' },
  ])("cannot be decrypted as another account's or key's secret: %o", (other) => {
    const secrets = createSecrets(randomBytes(32))
    expect(() => secrets.decrypt(other, secrets.encrypt(owner, secret))).toThrow()
  })

  it('cannot be decrypted after any byte has changed, or after any truncation', () => {
    const secrets = createSecrets(randomBytes(32))
    const encrypted = secrets.encrypt(owner, secret)
    for (let at = 0; at < encrypted.length; at++) {
      const changed = Buffer.from(encrypted)
      changed.writeUInt8(changed.readUInt8(at) ^ 1, at)
      expect(() => secrets.decrypt(owner, changed)).toThrow()
      expect(() => secrets.decrypt(owner, encrypted.subarray(0, at))).toThrow()
    }
  })

  it('can be decrypted only with the same master key', () => {
    const masterKey = randomBytes(32)
    const encrypted = createSecrets(masterKey).encrypt(owner, secret)
    expect(createSecrets(Buffer.from(masterKey)).decrypt(owner, encrypted)).toEqual(secret)
    expect(() => createSecrets(randomBytes(32)).decrypt(owner, encrypted)).toThrow()
  })

  it('are encrypted with the current key, and can be decrypted with any available key', () => {
    const [former, next] = [randomBytes(32), randomBytes(32)]
    const keys = [former]
    const secrets = createKeyring(() => keys)
    const before = secrets.encrypt(owner, secret)
    const byNext = createSecrets(next).encrypt(owner, secret)
    const { checkValue } = createSecrets(next)
    expect(secrets.switchTo(checkValue)).toBe(false)
    expect(createSecrets(former).decrypt(owner, secrets.encrypt(owner, secret))).toEqual(secret)

    keys.unshift(next)
    expect(secrets.decrypt(owner, byNext)).toEqual(secret)
    expect(secrets.checkValue).not.toBe(checkValue)
    expect(secrets.switchTo(checkValue)).toBe(true)
    expect(secrets.deriveKey('links')).toEqual(createSecrets(next).deriveKey('links'))
    expect(createSecrets(next).decrypt(owner, secrets.encrypt(owner, secret))).toEqual(secret)
    expect(secrets.decrypt(owner, before)).toEqual(secret)
  })

  it('use one check value for each master key, and a different key for each purpose', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (bytes) => {
        const secrets = createSecrets(Buffer.from(bytes))
        expect(secrets.checkValue).toBe(createSecrets(Buffer.from(bytes)).checkValue)
        expect(secrets.checkValue).not.toBe(createSecrets(randomBytes(32)).checkValue)
        expect(secrets.deriveKey('links')).toHaveLength(32)
        expect(secrets.deriveKey('links')).not.toEqual(secrets.deriveKey('other'))
      }),
    )
  })
})
