import { type Client, cacheExchange, createClient, fetchExchange, mapExchange } from '@urql/core'
import { api } from '../app/paths.ts'
import { errorReason, isSignedOut, noteFailedChange } from './describe-error.ts'
import { trackQueries } from './queries-in-flight.ts'
import { fetchOptionsWith } from './session-headers.ts'
import { signedOut, signInRequired } from './signed-out.ts'

/** The tab's client until a user signs in or out. */
export const firstClient = createGraphqlClient()

export function createGraphqlClient(): Client {
  return createClient({
    url: api.graphql,
    // Turn off GET, because the server accepts sessions only with POST.
    preferGetMethod: false,
    requestPolicy: 'cache-and-network',
    fetchOptions: fetchOptionsWith({}),
    exchanges: [
      trackQueries,
      mapExchange({
        onError(error, { kind }) {
          if (kind === 'mutation') noteFailedChange(error)
          if (isSignedOut(error)) signedOut.announce()
          if (errorReason(error) === 'sign-in-required') signInRequired.announce()
        },
      }),
      cacheExchange,
      fetchExchange,
    ],
  })
}
