/** Matches the placeholder email addresses of a new installation's first user and of accounts without a founder. */
const placeholderEmail = /@(localhost|(.+\.)?invalid)$/i

export const accountLabel = ({ name, email }: { name: string | null; email: string }): string =>
  name ?? (placeholderEmail.test(email) ? 'Unnamed account' : email)
