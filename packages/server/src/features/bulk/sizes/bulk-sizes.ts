import type { Database } from '../../../db/database.ts'
import { type ApiError, limitExceeded } from '../../../errors.ts'
import { limits } from '../../../limits.ts'
import { type AttributesToRead, selectAttributeBytes } from './bulk-sizes.queries.ts'

/**
 * Returns as many of the given IDs as possible, starting with the first, so that the devices' attributes fit in memory.
 * If the attributes of the first device alone are too large, returns only that device's ID and an error.
 */
export async function fitInMemory(
  db: Database,
  accountId: string,
  { ids, contexts, withServices, inside }: AttributesToRead,
): Promise<{ ids: readonly string[]; error?: ApiError }> {
  // Without contexts and services, only base values are read. The base values of a batch always fit.
  if (contexts.length === 0 && withServices.length === 0) return { ids }
  const bytes = await selectAttributeBytes(db, accountId, { ids, contexts, withServices, inside })
  const limit = limits.bulkDeviceBytes
  let sum = 0
  const fitting: string[] = []
  for (const id of ids) {
    sum += bytes.get(id) ?? 0
    if (sum > limit) break
    fitting.push(id)
  }
  if (fitting.length > 0 || ids.length === 0) return { ids: fitting }
  const message = `a bulk job reads at most ${limit} bytes of attributes per device, including its services' attributes, but this device's attributes can have up to ${sum} bytes`
  return { ids: ids.slice(0, 1), error: limitExceeded(message, { limit, found: sum }) }
}
