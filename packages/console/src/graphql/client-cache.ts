import { createContext, use, useCallback, useState } from 'react'
import type { Client } from 'urql'
import { createGraphqlClient } from './client.ts'
import { signedOut } from './signed-out.ts'

export const ClearCacheContext = createContext<() => void>(() => {})

const create = (): Client => createGraphqlClient(signedOut.announce)

/** Returns the tab's client, and a function that replaces it with a client with an empty cache, for another user. */
export function useGraphqlClient(): { client: Client; clearCache: () => void } {
  const [client, setClient] = useState(create)
  return { client, clearCache: useCallback(() => setClient(create()), []) }
}

export const useClearCache = (): (() => void) => use(ClearCacheContext)
