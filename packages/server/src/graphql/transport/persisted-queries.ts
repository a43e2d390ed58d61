import { ApiError, badInput } from '../../errors.ts'
import { isObject } from '../../lib/json-fields.ts'

/**
 * Throws if the query is missing or empty. Clients with Apollo automatic persisted queries first send only a query
 * hash. The error PERSISTED_QUERY_NOT_FOUND asks them to send the query, and they recognize it by its message or code.
 */
export function assertHasQuery(query: unknown, extensions: unknown): void {
  if (query !== undefined && query !== null && query !== '') return
  if (isObject(extensions) && 'persistedQuery' in extensions)
    throw new ApiError('PERSISTED_QUERY_NOT_FOUND', 'PersistedQueryNotFound')
  throw badInput('the request has no query; send the GraphQL document as "query"')
}
