import { createContext, use, useCallback, useState } from 'react'
import type { Client } from 'urql'
import { createGraphqlClient } from './client.ts'
import { signedOut } from './signed-out.ts'

export const ClearCacheContext = createContext<() => void>(() => {})

const create = (): Client => createGraphqlClient(signedOut.announce)

/** The tab's client, and a function that replaces the client for another user with one whose cache is empty. */
export function useGraphqlClient(): { client: Client; clearCache: () => void } {
  const [client, setClient] = useState(create)
  return { client, clearCache: useCallback(() => setClient(create()), []) }
}

export const useClearCache = (): (() => void) => use(ClearCacheContext)
