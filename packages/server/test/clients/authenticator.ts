import { createHash, createSign, generateKeyPairSync, randomBytes } from 'node:crypto'

export interface Credential {
  id: string
  rawId: string
  type: 'public-key'
  clientExtensionResults: object
  response: Record<string, unknown>
}

interface Options {
  challenge: string
}

export interface AuthenticatorOptions {
  origin: string
  /** If false, the authenticator tests only user presence. */
  verifiesUser?: boolean
}

/** Creates a software authenticator with one passkey, whose key pair is on the curve P-256 (WebAuthn Level 2, §6). */
export function createAuthenticator({ origin, verifiesUser = true }: AuthenticatorOptions) {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const id = randomBytes(16)
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  let counter = 0
  let userHandle: string | undefined

  /** Returns the hash of the relying party's ID, the flags, the counter, and, for a new passkey, its data (§6.1). */
  const authenticatorData = (rpId: string, attested?: Buffer): Buffer => {
    counter++
    const flags = 0x01 | (verifiesUser ? 0x04 : 0) | (attested === undefined ? 0 : 0x40)
    const head = Buffer.alloc(5)
    head.writeUInt8(flags)
    head.writeUInt32BE(counter, 1)
    return Buffer.concat([sha256(Buffer.from(rpId)), head, attested ?? Buffer.alloc(0)])
  }
  const clientData = (type: string, { challenge }: Options): Buffer =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }))
  const credential = (response: Record<string, unknown>): Credential => ({
    id: id.toString('base64url'),
    rawId: id.toString('base64url'),
    type: 'public-key',
    clientExtensionResults: {},
    response,
  })

  return {
    id: id.toString('base64url'),
    /** Returns the new passkey, without attestation (§8.7) or with an attestation that contains a certificate. */
    register(options: Options & { rp: { id: string }; user: { id: string } }, certificate?: Buffer): Credential {
      userHandle = options.user.id
      const credentialData = Buffer.concat([Buffer.alloc(16), lengthOf(id), id, coseKey(x, y)])
      const data = authenticatorData(options.rp.id, credentialData)
      // Encode {"fmt": text, "attStmt": {} or {"x5c": [bytes]}, "authData": bytes} in CBOR.
      const attestation = Buffer.concat([
        Buffer.of(0xa3),
        cborText('fmt'),
        cborText(certificate === undefined ? 'none' : 'apple'),
        cborText('attStmt'),
        certificate === undefined ? Buffer.of(0xa0) : statementOf(certificate),
        cborText('authData'),
        Buffer.of(0x58, data.length),
        data,
      ])
      return credential({
        clientDataJSON: clientData('webauthn.create', options).toString('base64url'),
        attestationObject: attestation.toString('base64url'),
        transports: ['internal'],
      })
    },
    authenticate(options: Options & { rpId: string }): Credential {
      const [client, data] = [clientData('webauthn.get', options), authenticatorData(options.rpId)]
      const signature = createSign('sha256').update(data).update(sha256(client)).sign(privateKey)
      return credential({
        clientDataJSON: client.toString('base64url'),
        authenticatorData: data.toString('base64url'),
        signature: signature.toString('base64url'),
        userHandle,
      })
    },
  }
}

const sha256 = (bytes: Buffer): Buffer => createHash('sha256').update(bytes).digest()

function lengthOf(bytes: Buffer): Buffer {
  const length = Buffer.alloc(2)
  length.writeUInt16BE(bytes.length)
  return length
}

const cborText = (text: string): Buffer => Buffer.concat([Buffer.of(0x60 + text.length), Buffer.from(text)])

/** Encodes {"x5c": [certificate]} in CBOR. */
const statementOf = (certificate: Buffer): Buffer =>
  Buffer.concat([Buffer.of(0xa1), cborText('x5c'), Buffer.of(0x81, 0x59), lengthOf(certificate), certificate])

/** Encodes a public key in CBOR (RFC 9053 §7.1.1): {1: 2 (EC2), 3: -7 (ES256), -1: 1 (P-256), -2: x, -3: y}. */
const coseKey = (x: string, y: string): Buffer =>
  Buffer.concat([
    Buffer.of(0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20),
    Buffer.from(x, 'base64url'),
    Buffer.of(0x22, 0x58, 0x20),
    Buffer.from(y, 'base64url'),
  ])
