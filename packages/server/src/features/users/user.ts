/**
 * The viewer, which is the parent of the User fields in the API. Fields that need the viewer's row read it on demand,
 * and only once.
 */
export interface User {
  id: string
}

export interface UserDetails extends User {
  email: string
  name: string | null
  created: Date
}
