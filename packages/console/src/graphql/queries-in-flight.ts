import { mapExchange } from '@urql/core'

const inFlight = new Map<number, PromiseWithResolvers<void>>()

function end(key: number): void {
  inFlight.get(key)?.resolve()
  inFlight.delete(key)
}

/** Must be the first exchange, so that it sees every query and its response. */
export const trackQueries = mapExchange({
  onOperation({ kind, key }) {
    if (kind === 'query' && !inFlight.has(key)) inFlight.set(key, Promise.withResolvers())
    if (kind === 'teardown') end(key)
  },
  onResult({ operation, hasNext }) {
    if (!hasNext) end(operation.key)
  },
})

/**
 * Resolves when all queries that are in flight at the time of the call have ended. urql combines identical queries. A
 * query that is repeated before then can therefore receive the response to the earlier query.
 */
export const queriesInFlightEnd = (): Promise<unknown> =>
  Promise.all(Array.from(inFlight.values(), ({ promise }) => promise))
