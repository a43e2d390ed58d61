import { fromBase64, toBase64 } from '../base64.ts'

/** The DOM type library, which this package does not use, calls this type `CryptoKey`. */
export type SigningKey = Parameters<typeof crypto.subtle.sign>[1]

export async function importSecret(secret: string): Promise<SigningKey> {
  const bytes = fromBase64(secret)
  if (bytes === undefined || bytes.length === 0)
    throw new TypeError('secret must be the secret of the access key in base64, as shown when the secret was created')
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
}

export async function importPrivateKey(privateKey: string | SigningKey): Promise<SigningKey> {
  if (typeof privateKey !== 'string') return privateKey
  const block = /-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\s]+)-----END PRIVATE KEY-----/.exec(privateKey)
  const bytes = block === null ? undefined : fromBase64(block[1]!.replaceAll(/\s/g, ''))
  const message =
    'privateKey must be an Ed25519 private key as PEM (PKCS #8), such as the output of: openssl genpkey -algorithm ed25519'
  if (bytes === undefined) throw new TypeError(message)
  return crypto.subtle.importKey('pkcs8', bytes, 'Ed25519', false, ['sign']).catch((cause: unknown) => {
    throw new TypeError(message, { cause })
  })
}

/**
 * Generates an Ed25519 key pair as PEM: the public key as SPKI and the private key as PKCS #8. Register the public key
 * with `createAccessKey`. The client never sends the private key.
 *
 * ```ts
 * const { publicKey, privateKey } = await generateKeyPair()
 * ```
 */
export async function generateKeyPair(): Promise<{ publicKey: string; privateKey: string }> {
  const pair = (await crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify'])) as {
    publicKey: SigningKey
    privateKey: SigningKey
  }
  const [publicBytes, privateBytes] = await Promise.all([
    crypto.subtle.exportKey('spki', pair.publicKey),
    crypto.subtle.exportKey('pkcs8', pair.privateKey),
  ])
  return { publicKey: pem('PUBLIC KEY', publicBytes), privateKey: pem('PRIVATE KEY', privateBytes) }
}

const pem = (label: string, bytes: ArrayBuffer): string =>
  `-----BEGIN ${label}-----\n${toBase64(new Uint8Array(bytes))}\n-----END ${label}-----\n`
