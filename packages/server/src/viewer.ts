/** The caller of a request. Every query is limited to this account. */
export interface Viewer {
  readonly accountId: string
  readonly email: string
  /** The access key that signed the request, if any. */
  readonly accessKey?: string
  /** The access key's name, null for one without. */
  readonly accessKeyName?: string | null
  /** The id of the console session of the request, if any. */
  readonly session?: string
  /** Whether the key can run queries only, no mutations. */
  readonly readOnly: boolean
  /** A device that acts in its owner's account: its changes have no user as actor. */
  readonly isDevice?: boolean
  /** The server itself, in background work: its changes have no user as actor. */
  readonly isServer?: boolean
}
