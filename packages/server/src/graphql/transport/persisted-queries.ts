import { ApiError } from '../../errors.ts'

/**
 * Clients with Apollo automatic persisted queries first send only a query hash. The error asks them to send the query,
 * and they recognize the error by its message or code.
 */
export function assertHasQuery(query: unknown, extensions: unknown): void {
  if (query || typeof extensions !== 'object' || extensions === null || !('persistedQuery' in extensions)) return
  throw new ApiError('PERSISTED_QUERY_NOT_FOUND', 'PersistedQueryNotFound')
}
