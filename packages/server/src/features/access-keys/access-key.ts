/** An access key without its secret, as the rest of the server uses it. */
export interface AccessKey {
  /** The key ID that requests are signed with. */
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
  /** The secret in base64, returned only on creation; null for a key that was created with `publicKey`. */
  secret: string | null
  accessKey: AccessKey
}
