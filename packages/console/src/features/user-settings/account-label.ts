/** The address of a new installation's first user, and of accounts that the operator created, reaches no one. */
const unreachable = /@(localhost|(.+\.)?invalid)$/i

/** Returns how the console names an account: by its name, or otherwise by its email address if that reaches anyone. */
export const accountLabel = ({ name, email }: { name: string | null; email: string }): string =>
  name ?? (unreachable.test(email) ? 'Unnamed account' : email)
