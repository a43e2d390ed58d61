import {
  brokenRules,
  type KeyPolicy,
  type KeyUnderPolicy,
  type PolicyRule,
  toKeyPolicy,
} from '../../auth/key-policy-rules.ts'
import type { Context } from '../../context.ts'
import { badInput, notFound } from '../../errors.ts'
import { perRequest } from '../../graphql/per-request.ts'
import type { MutationSetKeyPolicyArgs } from '../../resolvers.generated.ts'
import { fieldChanges, recordEvents } from '../events/record.ts'
import { lockAccount } from '../users/users.ts'
import { type AccessKey, isExpired } from './access-key.ts'
import { selectAccessKeys, selectKeyPolicy, writeKeyPolicy } from './access-keys.queries.ts'
import { reloadAccessKeys } from './key-events.ts'

export const getKeyPolicy = perRequest(({ db, viewer }: Pick<Context, 'db' | 'viewer'>) =>
  selectKeyPolicy(db, viewer.accountId).then(toKeyPolicy),
)

export async function listViolations({ db, viewer, clock }: Context, policy: KeyPolicy): Promise<AccessKey[]> {
  const keys = await selectAccessKeys(db, viewer.accountId)
  const now = clock()
  return keys.filter((key) => key.enabled && !isExpired(key, now) && brokenRules(policy, key).length > 0)
}

const MAX_DAYS = 36_500

/** Null clears `maxDays` and `enforcedFrom`, but leaves the other settings unchanged. */
export async function setKeyPolicy({ db, viewer }: Context, change: MutationSetKeyPolicyArgs): Promise<KeyPolicy> {
  const { maxDays } = change
  if (maxDays != null && (maxDays < 1 || maxDays > MAX_DAYS))
    throw badInput(`maxDays must be from 1 to ${MAX_DAYS}, not ${maxDays}`)
  const { accountId } = viewer
  return db.transaction().execute(async (transaction) => {
    if (!(await lockAccount(transaction, accountId))) throw notFound('account', accountId)
    const before = toKeyPolicy(await selectKeyPolicy(transaction, accountId))
    const after: KeyPolicy = {
      maxDays: maxDays === undefined ? before.maxDays : maxDays,
      personalKeys: change.personalKeys ?? before.personalKeys,
      requireDigest: change.requireDigest ?? before.requireDigest,
      requireNetworks: change.requireNetworks ?? before.requireNetworks,
      enforcedFrom: change.enforcedFrom === undefined ? before.enforcedFrom : change.enforcedFrom,
    }
    const changes = fieldChanges(before, after)
    if (changes === undefined) return before
    await writeKeyPolicy(transaction, accountId, after)
    await reloadAccessKeys(transaction, accountId)
    const targets = [{ id: accountId, name: viewer.email, kind: 'user' as const }]
    await recordEvents(transaction, { viewer }, [{ type: 'KEY_POLICY_UPDATE', targets, data: { changes } }])
    return after
  })
}

const meanings: Readonly<Record<PolicyRule, (policy: KeyPolicy) => string>> = {
  maxDays: ({ maxDays }) => `maxDays: the key must expire at most ${maxDays} days after its creation`,
  personalKeys: () => 'personalKeys: create an account key instead of a personal key',
  requireDigest: () => 'requireDigest: requireDigest must be true',
  requireNetworks: () => 'requireNetworks: networks must contain at least one network',
}

/** Throws if the key breaks a rule of the account's key policy, unless it broke the same rule before the change. */
export async function assertComplies(
  { db, viewer }: Pick<Context, 'db' | 'viewer'>,
  key: KeyUnderPolicy,
  before?: KeyUnderPolicy,
): Promise<void> {
  const policy = toKeyPolicy(await selectKeyPolicy(db, viewer.accountId))
  const known = before === undefined ? [] : brokenRules(policy, before)
  const broken = brokenRules(policy, key).filter((rule) => !known.includes(rule))
  if (broken.length === 0) return
  const rules = broken.map((rule) => meanings[rule](policy))
  throw badInput(`the account's key policy does not allow this key: ${rules.join('; ')}`)
}
