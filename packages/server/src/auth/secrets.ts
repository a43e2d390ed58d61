import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'

const VERSION = 1
const NONCE_BYTES = 12
const TAG_BYTES = 16

/**
 * Identifies the row that a secret belongs to. Encryption authenticates the owner with the ciphertext, so the server
 * cannot decrypt a secret that was moved to another row.
 */
export interface SecretOwner {
  accountId: string
  /** The access key's ID or, for any other secret, a name that no access key can have. */
  key: string
}

export interface KeySecrets {
  /** Returns the version byte, nonce, ciphertext, and tag. */
  encrypt(owner: SecretOwner, secret: Buffer): Buffer
  /** Throws unless the bytes were encrypted for this owner under this master key. */
  decrypt(owner: SecretOwner, encrypted: Buffer): Buffer
  /** Identifies the master key without revealing it. The database stores this value. */
  readonly checkValue: string
  deriveKey(purpose: string): Buffer
}

/**
 * Encrypts under the master key that the database names. Decrypts with any available key, because some secrets remain
 * encrypted under another key until a rotation ends.
 */
export interface Secrets extends KeySecrets {
  /** Switches encryption to the key with this check value. Returns false if the key is not available. */
  switchTo(checkValue: string): boolean
  /** The available keys, beginning with the current one. */
  readonly all: readonly KeySecrets[]
}

export const createSecrets = (masterKey: Buffer): Secrets => createKeyring(() => [masterKey])

/** The minimum interval, in milliseconds, between reloads after failed decryptions. */
const RELOAD_EVERY_MS = 500

/**
 * Creates `Secrets` with the keys that `read` returns. The first key is current until `switchTo` is called. Throws an
 * Error if `read` returns no key.
 */
export function createKeyring(read: () => readonly Buffer[]): Secrets {
  const known = new Map<string, KeySecrets>()
  const load = (): void => {
    for (const masterKey of read()) {
      const secrets = secretsOf(masterKey)
      if (!known.has(secrets.checkValue)) known.set(secrets.checkValue, secrets)
    }
  }
  load()
  let current = firstOf(known)
  let reloadedAt = Number.NEGATIVE_INFINITY
  const all = (): KeySecrets[] => [current, ...[...known.values()].filter((each) => each !== current)]
  return {
    get checkValue() {
      return current.checkValue
    },
    get all() {
      return all()
    },
    encrypt: (owner, secret) => current.encrypt(owner, secret),
    decrypt(owner, encrypted) {
      const secret = decryptWithAny(all(), owner, encrypted)
      if (secret !== undefined) return secret
      // The secret may be encrypted under a key that was created after the last load.
      if (performance.now() - reloadedAt >= RELOAD_EVERY_MS) {
        reloadedAt = performance.now()
        load()
      }
      return decryptWithAny(all(), owner, encrypted) ?? current.decrypt(owner, encrypted)
    },
    deriveKey: (purpose) => current.deriveKey(purpose),
    switchTo(checkValue) {
      if (checkValue === current.checkValue) return true
      if (!known.has(checkValue)) load()
      current = known.get(checkValue) ?? current
      return checkValue === current.checkValue
    },
  }
}

function firstOf(known: ReadonlyMap<string, KeySecrets>): KeySecrets {
  for (const secrets of known.values()) return secrets
  throw new Error('no master key is available')
}

function decryptWithAny(keys: readonly KeySecrets[], owner: SecretOwner, encrypted: Buffer): Buffer | undefined {
  for (const key of keys) {
    try {
      return key.decrypt(owner, encrypted)
    } catch {
      // Another key may decrypt the secret.
    }
  }
  return undefined
}

function secretsOf(masterKey: Buffer): KeySecrets {
  const derive = (purpose: string): Buffer => Buffer.from(hkdfSync('sha256', masterKey, '', `muster ${purpose}`, 32))
  const derived = new Map<string, Buffer>()
  const encryptionKey = derive('access key secrets')
  const checkKey = derive('check value')
  return {
    encrypt: (owner, secret) => encrypt(encryptionKey, owner, secret),
    decrypt: (owner, encrypted) => decrypt(encryptionKey, owner, encrypted),
    checkValue: createHmac('sha256', checkKey).update('master key').digest('base64'),
    deriveKey(purpose) {
      const key = derived.get(purpose) ?? derive(`purpose ${purpose}`)
      derived.set(purpose, key)
      return key
    },
  }
}

function encrypt(key: Buffer, owner: SecretOwner, secret: Buffer): Buffer {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(authenticatedData(owner))
  const ciphertext = Buffer.concat([cipher.update(secret), cipher.final()])
  return Buffer.concat([Buffer.of(VERSION), nonce, ciphertext, cipher.getAuthTag()])
}

function decrypt(key: Buffer, owner: SecretOwner, encrypted: Buffer): Buffer {
  if (encrypted.length < 1 + NONCE_BYTES + TAG_BYTES || encrypted[0] !== VERSION) {
    throw new Error(
      `the stored secret (owner: ${owner.key}) is damaged or has a format that this release does not support`,
    )
  }
  const nonce = encrypted.subarray(1, 1 + NONCE_BYTES)
  const ciphertext = encrypted.subarray(1 + NONCE_BYTES, -TAG_BYTES)
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES })
    .setAAD(authenticatedData(owner))
    .setAuthTag(encrypted.subarray(-TAG_BYTES))
  return Buffer.concat([decipher.update(ciphertext), decipher.final()])
}

// JSON separates the values. Without separators, different owners could have the same data.
const authenticatedData = ({ accountId, key }: SecretOwner): Buffer =>
  Buffer.from(JSON.stringify([VERSION, accountId, key]))
