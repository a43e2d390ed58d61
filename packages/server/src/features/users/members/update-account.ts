import type { Context } from '../../../context.ts'
import { ApiError, notFound } from '../../../errors.ts'
import { assertName } from '../../../lib/string-checks.ts'
import { limits } from '../../../limits.ts'
import type { MutationUpdateAccountArgs } from '../../../resolvers.generated.ts'
import { requiredSignIn, type SignInPolicy, toPolicy } from '../../../sign-in-policy.ts'
import { reloadAccessKeys } from '../../access-keys/access-keys.ts'
import type { Target } from '../../events/event-types.ts'
import { fieldChanges, recordEvents } from '../../events/record.ts'
import { assertNoPreviousRelease } from '../../presence/previous-release.ts'
import { findAccount, findSignInPolicy, lockAccount, writeContact, writeSignInPolicy } from '../accounts.queries.ts'
import type { User } from '../user.ts'
import { assertEmail } from '../users.ts'

export const readSignInPolicy = async ({ db, viewer }: Context): Promise<SignInPolicy> =>
  toPolicy(await findSignInPolicy(db, viewer.accountId))

export async function updateAccount({ db, viewer }: Context, args: MutationUpdateAccountArgs): Promise<User> {
  const { email, name, signInPolicy } = args
  if (email != null) assertEmail(email, 'email')
  if (name != null) assertName(name, 'name', limits.userNameLength)
  if (signInPolicy != null) assertMeets(viewer, signInPolicy)
  const { accountId } = viewer
  await db.transaction().execute(async (transaction) => {
    await lockAccount(transaction, accountId)
    const found = await findAccount(transaction, accountId)
    if (found === undefined) throw notFound('account', accountId)
    const policy = toPolicy(await findSignInPolicy(transaction, accountId))
    const before = { email: found.email, name: found.name, signInPolicy: policy }
    const after = {
      email: email ?? before.email,
      name: name === undefined ? before.name : name,
      signInPolicy: signInPolicy ?? policy,
    }
    const changes = fieldChanges(before, after)
    if (changes === undefined) return
    if (changes.email !== undefined || changes.name !== undefined) await writeContact(transaction, accountId, after)
    if (changes.signInPolicy !== undefined) {
      await assertNoPreviousRelease(transaction, 'changing signInPolicy')
      await writeSignInPolicy(transaction, accountId, after.signInPolicy)
    }
    await reloadAccessKeys(transaction, accountId)
    const targets: Target[] = [{ id: accountId, name: after.email, kind: 'user' }]
    await recordEvents(transaction, { viewer }, [{ type: 'ACCOUNT_UPDATE', targets, data: { changes } }])
  })
  return { id: accountId }
}

/** Throws CONFLICT if the caller's sign-in does not meet the policy. An access key meets only ANY. */
function assertMeets({ session, signInMethod = null }: Context['viewer'], policy: SignInPolicy): void {
  const required = requiredSignIn(policy, session === undefined ? null : signInMethod)
  if (required === null) return
  const how = required === 'SSO' ? 'single sign-on' : 'single sign-on, a passkey, or a password with a two-factor code'
  throw new ApiError('CONFLICT', `this request does not meet the policy ${required}: sign in with ${how}, then retry`)
}
