export interface KeyPolicy {
  /** The maximum lifetime of a key, in days. Null means no limit. */
  maxDays: number | null
  personalKeys: boolean
  requireDigest: boolean
  requireNetworks: boolean
  /** When existing keys must begin to comply, or null if they do not have to. New keys must always comply. */
  enforcedFrom: Date | null
}

/** An omitted property has the same value as in an account without a policy. */
export interface StoredKeyPolicy extends Partial<Omit<KeyPolicy, 'enforcedFrom'>> {
  enforcedFrom?: string | null
}

export const toKeyPolicy = (stored: StoredKeyPolicy | null): KeyPolicy => ({
  maxDays: stored?.maxDays ?? null,
  personalKeys: stored?.personalKeys ?? true,
  requireDigest: stored?.requireDigest ?? false,
  requireNetworks: stored?.requireNetworks ?? false,
  enforcedFrom: stored?.enforcedFrom == null ? null : new Date(stored.enforcedFrom),
})

const DAY_MS = 86_400_000

export interface KeyUnderPolicy {
  kind: string
  created: Date
  expires: Date | null
  requireDigest: boolean
  networks: readonly string[]
}

export type PolicyRule = 'maxDays' | 'personalKeys' | 'requireDigest' | 'requireNetworks'

export function brokenRules(policy: KeyPolicy, key: KeyUnderPolicy): PolicyRule[] {
  const { maxDays } = policy
  const broken: Record<PolicyRule, boolean> = {
    maxDays:
      maxDays !== null && (key.expires === null || key.expires.getTime() - key.created.getTime() > maxDays * DAY_MS),
    personalKeys: !policy.personalKeys && key.kind === 'personal',
    requireDigest: policy.requireDigest && !key.requireDigest,
    requireNetworks: policy.requireNetworks && key.networks.length === 0,
  }
  return (Object.keys(broken) as PolicyRule[]).filter((rule) => broken[rule])
}

/** Returns when the policy begins to suspend a key and to require a digest from it. Undefined means never. */
export function consequencesOf(
  policy: KeyPolicy,
  key: KeyUnderPolicy,
): { suspendedFrom: Date | undefined; digestFrom: Date | undefined } {
  const { enforcedFrom } = policy
  if (enforcedFrom === null) return { suspendedFrom: undefined, digestFrom: undefined }
  const broken = brokenRules(policy, key)
  return {
    suspendedFrom: broken.some((rule) => rule !== 'requireDigest') ? enforcedFrom : undefined,
    digestFrom: broken.includes('requireDigest') ? enforcedFrom : undefined,
  }
}
