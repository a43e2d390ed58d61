/** An access key as the rest of the server sees it: everything but its secret. */
export interface AccessKey {
  /** What requests name as keyId. */
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
  /** Base64, in this answer and never again; null for a key registered by its public half. */
  secret: string | null
  accessKey: AccessKey
}
