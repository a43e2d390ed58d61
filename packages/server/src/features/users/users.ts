import type { Context } from '../../context.ts'
import { badInput, notFound } from '../../errors.ts'
import { perRequest } from '../../graphql/per-request.ts'
import { assertText } from '../../lib/string-checks.ts'
import { findAccount } from './accounts.queries.ts'
import type { UserDetails } from './user.ts'

export { hasAccounts as hasUsers, lockAccount } from './accounts.queries.ts'

/** The maximum length of an email address. RFC 5321 §4.5.3.1.3 allows 256 octets, including two angle brackets. */
const EMAIL_LENGTH = 254

export function assertEmail(email: string, path: string): void {
  assertText(email, path, EMAIL_LENGTH)
  if (!/^[^\s@]+@[^\s@]+$/.test(email)) throw badInput(`${path} must be an email address, such as ada@example.com`)
}

export const getViewerDetails = perRequest(async ({ db, viewer }: Context): Promise<UserDetails> => {
  const found = await findAccount(db, viewer.accountId)
  if (found === undefined) throw notFound('user', viewer.accountId)
  return found
})
