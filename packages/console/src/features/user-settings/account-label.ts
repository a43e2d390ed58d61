/** Matches the placeholder addresses of a new installation's first user and of accounts that the operator created. */
const unreachable = /@(localhost|(.+\.)?invalid)$/i

export const accountLabel = ({ name, email }: { name: string | null; email: string }): string =>
  name ?? (unreachable.test(email) ? 'Unnamed account' : email)
