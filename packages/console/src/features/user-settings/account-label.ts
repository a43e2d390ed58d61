/** The address of a new installation's first user, and of accounts that the operator created, reaches no one. */
const unreachable = /@(localhost|(.+\.)?invalid)$/i

export const accountLabel = ({ name, email }: { name: string | null; email: string }): string =>
  name ?? (unreachable.test(email) ? 'Unnamed account' : email)
