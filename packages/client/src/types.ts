/** Attributes as returned: values and groups of values. */
export type Attributes = Record<string, string | Record<string, string>>

/** Changes of attributes. Other attributes are unchanged. `null` removes a value or a whole group. */
export type AttributeChanges = Readonly<Record<string, string | null | Readonly<Record<string, string | null>>>>

/** The options of every call. */
export interface CallOptions {
  /** Cancels the call, which throws the signal's `reason`. If a mutation was already sent, it may still run. */
  signal?: AbortSignal | undefined
  /** Timeout of one attempt in milliseconds. */
  timeout?: number | undefined
  /** Maximum number of retries, where a retry is safe. */
  retries?: number | undefined
  /** Whether a mutation may be sent again if its outcome is unknown. Default: depends on its fields. */
  idempotent?: boolean | undefined
  /**
   * Sent as Idempotency-Key with a mutation that creates something: 1 to 255 printable ASCII characters. If omitted, each call
   * has a new one. Set and store one to repeat a call after your program restarts.
   */
  idempotencyKey?: string | undefined
}
