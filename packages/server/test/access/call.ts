import type { OwnedObjects } from './owned-objects.ts'

/** The required result of an attempt on an object of another user. */
export type Outcome =
  /** The error NOT_FOUND, and no data. */
  | 'NOT_FOUND'
  /** It succeeds and affects only objects of the caller. */
  | 'own'
  /** It returns the URL of an empty file. */
  | 'empty download'
  /** It succeeds and returns this data. */
  | { finds: Record<string, unknown> }

export interface Attempt {
  document: string
  outcome: Outcome
  /** The id is of a different kind than the argument accepts, so even the owner finds nothing. */
  ofWrongKind?: boolean
}

/** An attempt by the owner of `own` on the objects in `theirs`. */
type BuildAttempt = (theirs: OwnedObjects, own: OwnedObjects) => Attempt

export interface Call {
  /** A call with only objects of the caller. */
  plain: (own: OwnedObjects) => string
  /** For each argument, the objects that it can name. */
  naming?: Record<string, BuildAttempt | BuildAttempt[]>
  /** Arguments that name no object of a user. */
  others?: string[]
}

export const literal = (value: string): string => JSON.stringify(value)

export const attempt =
  (outcome: Outcome, document: (theirs: OwnedObjects, own: OwnedObjects) => string): BuildAttempt =>
  (theirs, own) => ({ document: document(theirs, own), outcome })

export const notFound = (document: (theirs: OwnedObjects, own: OwnedObjects) => string): BuildAttempt =>
  attempt('NOT_FOUND', document)

export const ofWrongKind =
  (document: (theirs: OwnedObjects, own: OwnedObjects) => string): BuildAttempt =>
  (theirs, own) => ({ document: document(theirs, own), outcome: 'NOT_FOUND', ofWrongKind: true })
