/**
 * Matches the placeholder email addresses of a new installation's first user, and of accounts whose ID belongs to no
 * person.
 */
const unreachable = /@(localhost|(.+\.)?invalid)$/i

export const accountLabel = ({ name, email }: { name: string | null; email: string }): string =>
  name ?? (unreachable.test(email) ? 'Unnamed account' : email)
