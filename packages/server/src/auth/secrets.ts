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

/** What is derived from one master key; the master key itself goes no further. */
export interface KeySecrets {
  /** Version byte, nonce, ciphertext, tag. */
  encrypt(owner: SecretOwner, secret: Buffer): Buffer
  /** Throws when the bytes are not those that `encrypt` made for this owner under this master key. */
  decrypt(owner: SecretOwner, encrypted: Buffer): Buffer
  /** Tells master keys apart and gives nothing of them away: what the database remembers. */
  readonly checkValue: string
  /** A key of its own for another purpose, such as signing download links. */
  deriveKey(purpose: string): Buffer
}

/**
 * The same under the master key that the database names, besides which others may be at hand while it is rotated: what they
 * encrypted can be read as well.
 */
export interface Secrets extends KeySecrets {
  /** The key of this check value encrypts from now on. False where it is not at hand. */
  turnTo(checkValue: string): boolean
  /** Of every key at hand, that of the database first. */
  readonly all: readonly KeySecrets[]
}

/** Of one master key, which stays. */
export const createSecrets = (masterKey: Buffer): Secrets => createKeyring(() => [masterKey])

/** A key that is missed is looked for once in so long. */
const LOOK_EVERY_MS = 500

/** Of the master keys that are at hand; the first is that of the database until told otherwise. */
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
  let lookedAt = Number.NEGATIVE_INFINITY
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
      const opened = openBy(all(), owner, encrypted)
      if (opened !== undefined) return opened
      // Encrypted, perhaps, under a key that was made since.
      if (performance.now() - lookedAt >= LOOK_EVERY_MS) {
        lookedAt = performance.now()
        load()
      }
      return openBy(all(), owner, encrypted) ?? current.decrypt(owner, encrypted)
    },
    deriveKey: (purpose) => current.deriveKey(purpose),
    turnTo(checkValue) {
      if (checkValue === current.checkValue) return true
      if (!known.has(checkValue)) load()
      current = known.get(checkValue) ?? current
      return checkValue === current.checkValue
    },
  }
}

function firstOf(known: ReadonlyMap<string, KeySecrets>): KeySecrets {
  for (const secrets of known.values()) return secrets
  throw new Error('no master key is at hand')
}

function openBy(keys: readonly KeySecrets[], owner: SecretOwner, encrypted: Buffer): Buffer | undefined {
  for (const key of keys) {
    try {
      return key.decrypt(owner, encrypted)
    } catch {
      // Of another key, or of none.
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
      const made = derived.get(purpose) ?? derive(`purpose ${purpose}`)
      derived.set(purpose, made)
      return made
    },
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
