/** The viewer, as the parent of the API's User fields. Whatever needs the row reads it when it is asked for, once. */
export interface User {
  id: string
}

/** What is known of a user. */
export interface UserDetails extends User {
  email: string
  name: string | null
  created: Date
}
