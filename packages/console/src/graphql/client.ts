import { type Client, cacheExchange, createClient, fetchExchange, mapExchange } from 'urql'
import { api } from '../app/paths.ts'
import { isSignedOut } from './describe-error.ts'
import { fetchOptionsWith } from './session-headers.ts'

/** Creates a client that uses the browser's session. It calls `onSignedOut` when the session is no longer valid. */
export function createGraphqlClient(onSignedOut: () => void): Client {
  return createClient({
    url: api.graphql,
    // Turns off GET, because the server accepts sessions only with POST.
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
