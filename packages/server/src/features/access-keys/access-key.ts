/** An access key as the rest of the server sees it: everything but its secret. */
export interface AccessKey {
  /** The keyId of signed requests. */
  key: string
  name: string | null
  enabled: boolean
  readOnly: boolean
  requireDigest: boolean
  algorithm: 'hmac-sha256' | 'ed25519'
  created: Date
  /** To the minute. */
  lastUsed: Date | null
  expires: Date | null
}

export interface CreatedAccessKey {
  key: string
  /** Base64, returned only on creation; null for a key that was created with publicKey. */
  secret: string | null
  accessKey: AccessKey
}
