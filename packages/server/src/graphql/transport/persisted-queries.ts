import { ApiError, badInput } from '../../errors.ts'
import { isObject } from '../../lib/json-fields.ts'

/**
 * Throws BAD_USER_INPUT if the query is missing or empty, or PERSISTED_QUERY_NOT_FOUND if the request has a query hash
 * instead. Clients with Apollo automatic persisted queries first send only the hash. They recognize this error by its
 * message or code, and then send the query.
 */
export function assertHasQuery(query: unknown, extensions: unknown): void {
  if (query !== undefined && query !== null && query !== '') return
  if (isObject(extensions) && 'persistedQuery' in extensions)
    throw new ApiError('PERSISTED_QUERY_NOT_FOUND', 'PersistedQueryNotFound')
  throw badInput('the request has no query; send the GraphQL document as "query"')
}
