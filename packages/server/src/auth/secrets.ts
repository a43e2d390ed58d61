import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'

const VERSION = 1
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** Whose secret it is. Bound to the ciphertext, so that one key's secret cannot be put in another's row. */
export interface SecretOwner {
  accountId: string
  /** The id of the access key, or of what else has a secret, in a form that no access key's id has. */
  key: string
}

/** What is derived from the master key; the master key itself goes no further. */
export interface Secrets {
  /** Version byte, nonce, ciphertext, tag. */
  encrypt(owner: SecretOwner, secret: Buffer): Buffer
  /** Throws when the bytes are not those that `encrypt` made for this owner under this master key. */
  decrypt(owner: SecretOwner, encrypted: Buffer): Buffer
  /** Tells master keys apart and gives nothing of them away: what the database remembers. */
  readonly checkValue: string
  /** A key of its own for another purpose, such as signing download links. */
  deriveKey(purpose: string): Buffer
}

export function createSecrets(masterKey: Buffer): Secrets {
  const derive = (purpose: string): Buffer => Buffer.from(hkdfSync('sha256', masterKey, '', `muster ${purpose}`, 32))
  const encryptionKey = derive('access key secrets')
  const checkKey = derive('check value')
  return {
    encrypt: (owner, secret) => encrypt(encryptionKey, owner, secret),
    decrypt: (owner, encrypted) => decrypt(encryptionKey, owner, encrypted),
    checkValue: createHmac('sha256', checkKey).update('master key').digest('base64'),
    deriveKey: (purpose) => derive(`purpose ${purpose}`),
  }
}

function encrypt(key: Buffer, owner: SecretOwner, secret: Buffer): Buffer {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(boundTo(owner))
  const ciphertext = Buffer.concat([cipher.update(secret), cipher.final()])
  return Buffer.concat([Buffer.of(VERSION), nonce, ciphertext, cipher.getAuthTag()])
}

function decrypt(key: Buffer, owner: SecretOwner, encrypted: Buffer): Buffer {
  if (encrypted.length < 1 + NONCE_BYTES + TAG_BYTES || encrypted[0] !== VERSION) {
    throw new Error(`the stored secret of ${owner.key} has a form that this release does not know`)
  }
  const nonce = encrypted.subarray(1, 1 + NONCE_BYTES)
  const ciphertext = encrypted.subarray(1 + NONCE_BYTES, -TAG_BYTES)
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES })
    .setAAD(boundTo(owner))
    .setAuthTag(encrypted.subarray(-TAG_BYTES))
  return Buffer.concat([decipher.update(ciphertext), decipher.final()])
}

// JSON keeps the two apart whatever characters they hold.
const boundTo = ({ accountId, key }: SecretOwner): Buffer => Buffer.from(JSON.stringify([VERSION, accountId, key]))
