/** A person in an account. */
export interface Member {
  personId: string
  email: string
  name: string | null
  roleId: string
  source: string
  created: Date
  lastUsed: Date | null
  /** Account keys that the person created. */
  accountKeys: number
}

/** The caller, as the parent of the fields of `Me`. */
export type Me = Record<string, never>
