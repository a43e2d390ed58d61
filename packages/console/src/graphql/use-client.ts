import { createContext, use, useCallback, useState } from 'react'
import type { Client } from 'urql'
import { createGraphqlClient } from './client.ts'
import { signedOut } from './signed-out.ts'

export const GraphqlClientContext = createContext<() => void>(() => {})

const create = (): Client => createGraphqlClient(signedOut.announce)

/** The client of this tab, and how to begin again with nothing in its cache: another person may have signed in. */
export function useNewGraphqlClient(): { client: Client; renew: () => void } {
  const [client, setClient] = useState(create)
  return { client, renew: useCallback(() => setClient(create()), []) }
}

export const useForgetAnswers = (): (() => void) => use(GraphqlClientContext)
