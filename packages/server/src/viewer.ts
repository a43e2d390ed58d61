/** The caller of a request. Every query is limited to this account. */
export interface Viewer {
  readonly accountId: string
  readonly email: string
  /** The access key that signed the request, if any. */
  readonly accessKey?: string
  /** The access key's name; null if it has none. */
  readonly accessKeyName?: string | null
  /** The ID of the request's console session, if any. */
  readonly session?: string
  /** Whether the key can run only queries, not mutations. */
  readonly readOnly: boolean
  /** Set for a device that acts in its owner's account. Its changes have no user as their actor. */
  readonly isDevice?: boolean
  /** Set for the server's background work. Its changes have no user as their actor. */
  readonly isServer?: boolean
}
