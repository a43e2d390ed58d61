/**
 * An account. The object contains only the ID. The server reads the account's `email`, `name`, and `created` on demand,
 * and only once per request.
 */
export interface User {
  id: string
}

export interface UserDetails extends User {
  email: string
  name: string | null
  created: Date
}
