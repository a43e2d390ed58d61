/** Attributes as they are read: values, and groups of them. */
export type Attributes = Record<string, string | Record<string, string>>

/** Attributes as they are written: merged into what is there, `null` removes, a group set to `null` goes whole. */
export type AttributeChanges = Readonly<Record<string, string | null | Readonly<Record<string, string | null>>>>

/** What can be said of every call. */
export interface CallOptions {
  /** Ends the call; it throws the signal's `reason`. A mutation that was sent may still run. */
  signal?: AbortSignal | undefined
  /** Milliseconds that one try may take. */
  timeout?: number | undefined
  /** Tries after the first, where trying again is safe. */
  retries?: number | undefined
  /** Whether a mutation may be sent again if it is not known whether it ran. If omitted, its fields decide. */
  idempotent?: boolean | undefined
  /**
   * Sent as Idempotency-Key with a mutation that creates something: 1 to 255 printable ASCII characters. If omitted, each call
   * has a new one. Keep your own to repeat a call after your program restarts.
   */
  idempotencyKey?: string | undefined
}
