import { webcrypto } from 'node:crypto'
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ed25519PrivatePem, type KeyName, now, sharedSecret, signingKeys } from '../../test/fixtures.ts'
import { signRequest } from '../index.ts'
import { signRequestWeb } from './sign-request-web.ts'

const { subtle } = webcrypto
const pkcs8 = Buffer.from(ed25519PrivatePem.replace(/-----.*-----/g, ''), 'base64')
const webKeys = {
  hmac: await subtle.importKey('raw', sharedSecret, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']),
  ed25519: await subtle.importKey('pkcs8', pkcs8, 'Ed25519', false, ['sign']),
}

test('produces the same signatures with Web Crypto as with Node', async () => {
  const options = fc.record({
    form: fc.constantFrom('cavage' as const, 'rfc9421' as const),
    keyName: fc.constantFrom<KeyName>('hmac', 'ed25519'),
    method: fc.constantFrom('GET', 'POST', 'M-SEARCH'),
    url: fc.webUrl({ withQueryParameters: true }),
    headers: fc.option(fc.record({ 'Content-Type': fc.stringMatching(/^[!-~]{1,20}$/) }), { nil: undefined }),
    body: fc.option(fc.oneof(fc.uint8Array({ maxLength: 40 }), fc.string({ unit: 'grapheme' })), { nil: undefined }),
    digest: fc.boolean(),
    expires: fc.option(fc.integer({ min: now, max: now + 1000 }), { nil: undefined }),
    nameAlgorithm: fc.boolean(),
    label: fc.stringMatching(/^[a-z*][a-z0-9_.*-]{0,9}$/),
  })
  await fc.assert(
    fc.asyncProperty(options, async ({ keyName, ...rest }) => {
      const request = { ...rest, keyId: 'AKEXAMPLE', created: now }
      const byNode = signRequest({ ...request, key: signingKeys[keyName] })
      expect(await signRequestWeb({ ...request, key: webKeys[keyName] })).toEqual(byNode)
    }),
    { numRuns: 500 },
  )
})

test('rejects an invalid key ID with Web Crypto', async () => {
  const request = { keyId: 'a"b', method: 'POST', url: 'http://localhost/', created: now }
  await expect(signRequestWeb({ ...request, key: webKeys.hmac })).rejects.toThrow(TypeError)
})

test('imports nothing from Node in the signer for browsers', () => {
  const seen = new Set<string>()
  const visit = (file: URL): void => {
    if (seen.has(file.href)) return
    seen.add(file.href)
    const text = readFileSync(file, 'utf8')
    for (const [statement, imported = ''] of text.matchAll(/^(?:import|export)\b[^']*?from '([^']+)'/gm)) {
      if (/^(?:import|export) type/.test(statement)) continue
      expect(imported, file.href).not.toMatch(/^node:/)
      if (imported.startsWith('.')) visit(new URL(imported, file))
    }
  }
  visit(new URL('sign-request-web.ts', import.meta.url))
  expect(seen).toContain(new URL('../signature-base.ts', import.meta.url).href)
})
