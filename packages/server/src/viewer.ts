import type { Reach, Restriction } from './restriction.ts'
import type { RequiredSignIn } from './sign-in-policy.ts'

export interface Viewer {
  readonly accountId: string
  readonly email: string
  /**
   * The email address of the account's founder, whose person ID is the account's ID. If no such person exists, the
   * address ends with `@account.invalid`.
   */
  readonly founderEmail?: string
  /** The person who is signed in or who created the access key. The default is the account's founder. */
  readonly personId?: string
  readonly accessKey?: string
  /** The access key's name, or null if it has none. */
  readonly accessKeyName?: string | null
  /** The percentage of the account's quota that the access key may spend. If omitted, the key may spend all of it. */
  readonly rateShare?: number
  readonly address?: string
  readonly session?: string
  /** How the session's person signed in. Null if the method was not recorded. */
  readonly signInMethod?: string | null
  /** The kind of sign-in that the account requires, if the person signed in differently. `accountId` is then empty. */
  readonly requiredSignIn?: RequiredSignIn
  /** A mask of the request's permissions in the account. If omitted, fields that need a permission are rejected. */
  readonly permissions?: number
  /** Undefined if the caller can access all devices and attributes. */
  readonly restriction?: Restriction | undefined
  /**
   * The devices and attribute names that `restriction` allows. Set before an operation runs, if `restriction` is set.
   */
  readonly reach?: Reach
  /** Whether the caller is an owner. Only owners can create, change, and remove owners. */
  readonly isOwner?: boolean
  /** Whether mutations fail with FORBIDDEN, because the access key is read-only. */
  readonly readOnly: boolean
  /**
   * Whether the caller is a device that acts in its owner's account. The device's changes have no person as their
   * actor.
   */
  readonly isDevice?: boolean
  /** The bulk job that makes the changes, if any. `accessKey` is the key that started the job. */
  readonly job?: { readonly id: string; readonly name: string }
  /** Whether the caller is the server itself. The changes of its background work have no person as their actor. */
  readonly isServer?: boolean
}
