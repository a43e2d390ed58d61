import type { Belongings } from './belongings.ts'

/** What an attempt on something of another user's must come to. */
export type Outcome =
  /** The error NOT_FOUND, and no data. */
  | 'NOT_FOUND'
  /** It does what it says, with the caller's own things alone. */
  | 'own'
  /** It answers with an address; what is there holds nothing. */
  | 'empty download'
  /** It succeeds and finds this. */
  | { finds: Record<string, unknown> }

export interface Attempt {
  document: string
  outcome: Outcome
  /** Not even the owner finds anything by it: no such argument takes an id of this kind. */
  ofWrongKind?: boolean
}

/** An attempt by somebody who has `own` with what is `theirs`. */
type Try = (theirs: Belongings, own: Belongings) => Attempt

export interface Call {
  /** How the field is called with nothing but what is the caller's own. */
  plain: (own: Belongings) => string
  /** By argument: everything that can be named with it. */
  naming?: Record<string, Try | Try[]>
  /** Arguments that name nothing that anybody owns. */
  others?: string[]
}

export const text = (value: string): string => JSON.stringify(value)

export const tries =
  (outcome: Outcome, document: (theirs: Belongings, own: Belongings) => string): Try =>
  (theirs, own) => ({ document: document(theirs, own), outcome })

export const notFound = (document: (theirs: Belongings, own: Belongings) => string): Try => tries('NOT_FOUND', document)

export const ofWrongKind =
  (document: (theirs: Belongings, own: Belongings) => string): Try =>
  (theirs, own) => ({ document: document(theirs, own), outcome: 'NOT_FOUND', ofWrongKind: true })
