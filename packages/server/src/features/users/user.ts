/** Fields that need the account's row read the row on demand, and only once per request. */
export interface User {
  id: string
}

export interface UserDetails extends User {
  email: string
  name: string | null
  created: Date
}
