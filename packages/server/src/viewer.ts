/** Who a request comes from: every query runs with this account and finds nothing of another. */
export interface Viewer {
  readonly accountId: string
  readonly email: string
  /** The access key that signed, where one did. */
  readonly accessKey?: string
  /** The access key's name, null for one without. */
  readonly accessKeyName?: string | null
  /** The session of the console, by its id, where the request came with one. */
  readonly session?: string
  /** A read-only key may query and not mutate. */
  readonly readOnly: boolean
  /** A device that acts on itself in its owner's account: no user is the actor of what it does. */
  readonly isDevice?: boolean
  /** The server itself, in background work: no user is the actor of what it does. */
  readonly isServer?: boolean
}
