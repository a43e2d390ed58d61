import type { Viewer } from '../../../viewer.ts'

/** The access key functions that command-line sign-in needs. A feature provides them. */
export interface CommandLineKeys {
  /** Returns when a key that is created now would expire. Throws BAD_USER_INPUT if the account allows no such key. */
  expiryIn(viewer: Viewer): Promise<Date>
  /** Creates a personal key for the viewer. Returns its ID. */
  create(viewer: Viewer, key: { publicKey: string; machine: string }): Promise<string>
}
