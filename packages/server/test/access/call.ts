import type { OwnedObjects } from './owned-objects.ts'

/** The required result of an attempt on another user's object. */
export type Outcome =
  /** The response contains an error with this code, and no data. */
  | 'NOT_FOUND'
  | 'CONFLICT'
  /** The attempt succeeds and affects only the caller's objects. */
  | 'own'
  /** The attempt returns the URL of a CSV file that contains only the header row. */
  | 'empty download'
  | { finds: Record<string, unknown> }

export interface Attempt {
  document: string
  outcome: Outcome
  /** Whether the argument accepts only other kinds of IDs, so that even the owner finds nothing. */
  ofWrongKind?: boolean
}

type BuildAttempt = (theirs: OwnedObjects, own: OwnedObjects) => Attempt

export interface Call {
  /** Whether only a signed-in person can make the call. With an access key, the call fails. */
  needsSession?: true
  plain: (own: OwnedObjects) => string
  /** Attempts with each kind of object that an argument can name, keyed by argument. */
  naming?: Record<string, BuildAttempt | BuildAttempt[]>
  /** Arguments that do not name a user's object. */
  others?: string[]
}

export const user = (field: string) => (): string => `{ login { ${field} } }`

export const literal = (value: string): string => JSON.stringify(value)

export const attempt =
  (outcome: Outcome, document: (theirs: OwnedObjects, own: OwnedObjects) => string): BuildAttempt =>
  (theirs, own) => ({ document: document(theirs, own), outcome })

export const notFound = (document: (theirs: OwnedObjects, own: OwnedObjects) => string): BuildAttempt =>
  attempt('NOT_FOUND', document)

export const ofWrongKind =
  (document: (theirs: OwnedObjects, own: OwnedObjects) => string): BuildAttempt =>
  (theirs, own) => ({ document: document(theirs, own), outcome: 'NOT_FOUND', ofWrongKind: true })
