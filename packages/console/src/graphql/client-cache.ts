import { createContext, use, useCallback, useState } from 'react'
import type { Client } from 'urql'
import { createGraphqlClient, firstClient } from './client.ts'

export const ClearCacheContext = createContext<() => void>(() => {})

/**
 * Returns the tab's client, and a function to call when a user signs in or out. The function replaces the client with
 * one whose cache is empty.
 */
export function useGraphqlClient(): { client: Client; clearCache: () => void } {
  const [client, setClient] = useState(firstClient)
  return { client, clearCache: useCallback(() => setClient(createGraphqlClient()), []) }
}

export const useClearCache = (): (() => void) => use(ClearCacheContext)
