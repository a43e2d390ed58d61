import type { Context } from '../../context.ts'
import { ApiError } from '../../errors.ts'
import { namesIn } from '../../permissions.ts'
import { isSameRestriction, type Restriction, restrictionOf } from '../../restriction.ts'
import { withinOf } from '../restrictions/own-restriction.ts'
import type { AccessKey } from './access-key.ts'
import { selectAccessKey } from './access-keys.queries.ts'
import { areWithin } from './networks.ts'

type Strength = Pick<
  AccessKey,
  'expires' | 'requireDigest' | 'permissions' | 'own' | 'within' | 'networks' | 'rateShare'
>

/**
 * Throws FORBIDDEN in these cases:
 *
 * - The granted key has more rights than the viewer.
 * - The granted key has weaker restrictions than the access key that signed the request.
 * - That access key was deleted or disabled.
 *
 * Read-only viewers need no check, because they cannot run mutations. The operator's commands are not limited. The
 * caller must already have locked the account's row.
 */
export async function assertNotStronger(
  { db, viewer }: Pick<Context, 'db' | 'viewer'>,
  granted: Strength,
): Promise<void> {
  if (viewer.permissions !== undefined) assertIncludes(viewer.permissions, granted.permissions)
  if (viewer.accessKey === undefined) return
  const own = await selectAccessKey(db, viewer.accountId, viewer.accessKey)
  if (own === undefined)
    throw new ApiError('FORBIDDEN', 'the access key that signed this request was deleted: use another key')
  if (!own.enabled)
    throw new ApiError(
      'FORBIDDEN',
      'the access key that signed this request was disabled: enable it, or use another key',
    )
  // A session needs no check of the restriction: with a restricted role, it can grant only personal keys, which always
  // have the role's restriction. A personal key can grant the same keys if they also have its own restriction.
  const restriction = restrictionOf(granted) ?? []
  if (!includesAll(restriction, withinOf(viewer)) && !includesAll(restriction, restrictionOf(own) ?? [])) {
    const message =
      'the access key could give access to devices or attributes that the signing access key cannot access'
    throw new ApiError('FORBIDDEN', message, { reason: 'exceeds-own-access' })
  }
  // The signing key's permissions may have been reduced since the request was authenticated.
  assertIncludes(own.permissions, granted.permissions)
  if (own.expires !== null && (granted.expires === null || granted.expires > own.expires))
    throw exceeds(own, `expires must be ${own.expires.toISOString()} or earlier, which is when that key expires`)
  if (own.requireDigest && !granted.requireDigest)
    throw exceeds(own, 'requireDigest must be true, because that key requires a digest')
  if (!areWithin(granted.networks, own.networks))
    throw exceeds(own, `each network must be in one of the networks of that key: ${own.networks.join(', ')}`)
  if (granted.rateShare > own.rateShare)
    throw exceeds(own, `rateShare must be ${own.rateShare} or less, which is the share of that key`)
}

function assertIncludes(permissions: number, granted: number): void {
  const more = namesIn(granted & ~permissions)
  if (more.length === 0) return
  const message = `the access key would have permissions that you do not have: ${more.join(', ')}`
  throw new ApiError('FORBIDDEN', message, { reason: 'exceeds-own-access' })
}

export const includesAll = (parts: Restriction, needed: Restriction): boolean =>
  needed.every((one) => parts.some((other) => isSameRestriction([one], [other])))

const exceeds = ({ key }: AccessKey, rule: string): ApiError =>
  new ApiError('FORBIDDEN', `access key ${JSON.stringify(key)} cannot grant more rights than it has: ${rule}`, {
    reason: 'exceeds-own-access',
  })
