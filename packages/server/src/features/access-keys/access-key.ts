/** An access key as used by the rest of the server: all fields except its secret. */
export interface AccessKey {
  /** The keyId of signed requests. */
  key: string
  name: string | null
  enabled: boolean
  readOnly: boolean
  requireDigest: boolean
  algorithm: 'hmac-sha256' | 'ed25519'
  created: Date
  /** Precise to the minute. */
  lastUsed: Date | null
  expires: Date | null
}

export interface CreatedAccessKey {
  key: string
  /** Base64, returned only on creation; null for a key that was created with publicKey. */
  secret: string | null
  accessKey: AccessKey
}
