import { type Client, cacheExchange, createClient, fetchExchange, mapExchange } from 'urql'
import { api } from '../app/paths.ts'
import { isSignedOut } from './describe-error.ts'
import { fetchOptionsWith } from './session-headers.ts'

/** Talks to the API with the browser's session. `onSignedOut` is called when the session no longer holds. */
export function createGraphqlClient(onSignedOut: () => void): Client {
  return createClient({
    url: api.graphql,
    // Queries are posted too: a session is not accepted with GET.
    preferGetMethod: false,
    requestPolicy: 'cache-and-network',
    fetchOptions: fetchOptionsWith({}),
    exchanges: [
      mapExchange({
        onError(error) {
          if (isSignedOut(error)) onSignedOut()
        },
      }),
      cacheExchange,
      fetchExchange,
    ],
  })
}
