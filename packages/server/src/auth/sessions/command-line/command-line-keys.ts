import type { Viewer } from '../../../viewer.ts'

export interface CommandLineKeys {
  /** Returns when a key created now would expire. Throws BAD_USER_INPUT if the account's policy forbids the key. */
  expiryIn(viewer: Viewer): Promise<Date>
  /** Returns the key's ID. */
  create(viewer: Viewer, key: { publicKey: string; machine: string }): Promise<string>
}
