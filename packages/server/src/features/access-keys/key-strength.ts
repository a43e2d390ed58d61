import type { Context } from '../../context.ts'
import { ApiError } from '../../errors.ts'
import type { AccessKey } from './access-key.ts'
import { selectAccessKey } from './access-keys.queries.ts'

type Strength = Pick<AccessKey, 'expires' | 'requireDigest'>

/**
 * Throws FORBIDDEN if the granted key has more rights than the viewer's key. The granted key must not expire later, and it must
 * require a digest if the viewer's key does. Read-only keys need no check, because they cannot run mutations.
 */
export async function assertNotStronger(
  { db, viewer }: Pick<Context, 'db' | 'viewer'>,
  granted: Strength,
): Promise<void> {
  if (viewer.accessKey === undefined) return
  const own = await selectAccessKey(db, viewer.accountId, viewer.accessKey)
  if (own === undefined) throw new ApiError('FORBIDDEN', 'the access key that signed this request was deleted')
  if (own.expires !== null && (granted.expires === null || granted.expires > own.expires))
    throw exceeds(own, `expires must be ${own.expires.toISOString()} or earlier, which is when that key expires`)
  if (own.requireDigest && !granted.requireDigest)
    throw exceeds(own, 'requireDigest must be true, because that key requires a digest')
}

const exceeds = ({ key }: AccessKey, rule: string): ApiError =>
  new ApiError('FORBIDDEN', `access key ${JSON.stringify(key)} cannot grant more rights than it has: ${rule}`, {
    reason: 'exceeds-own-access',
  })
