/**
 * An account. The object contains only the ID. The fields `email`, `name`, and `created` read the account's row on
 * demand, and only once per request.
 */
export interface User {
  id: string
}

export interface UserDetails extends User {
  email: string
  name: string | null
  created: Date
}
