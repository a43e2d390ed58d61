/** Attributes as returned by the API: values and groups of values. */
export type Attributes = Record<string, string | Record<string, string>>

/** Attribute changes. `null` removes a value or a whole group. Other attributes remain unchanged. */
export type AttributeChanges = Readonly<Record<string, string | null | Readonly<Record<string, string | null>>>>

export interface CallOptions {
  /** Cancels the call, which then throws the signal's `reason`. A mutation that was already sent may still run. */
  signal?: AbortSignal | undefined
  /** Timeout of one attempt, in milliseconds. Default: the client's `timeout`. */
  timeout?: number | undefined
  /**
   * Maximum number of retries if a retry is safe, not counting retries of rate-limited attempts. 0 prevents all
   * retries. Default: the client's `retries`.
   */
  retries?: number | undefined
  /**
   * Whether the client may send a mutation again if its outcome is unknown. Default: true if the mutation is safe to
   * repeat. For example, `setAttribute` sets a value, and the client sends `registerDevice` with an Idempotency-Key.
   */
  idempotent?: boolean | undefined
  /**
   * Idempotency-Key of a mutation that creates something: 1 to 255 printable ASCII characters. By default, the
   * client creates a new key for each call that needs one. To repeat a call after a restart, set and store a key.
   */
  idempotencyKey?: string | undefined
}
