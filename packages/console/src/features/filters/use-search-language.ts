import { useEffect, useState } from 'react'

export type SearchLanguage = typeof import('./search-language.ts')

let loaded: SearchLanguage | undefined

/**
 * Loads the module of the filter language only when `isWanted` becomes true, because the first rows do not need it.
 * Returns undefined until the module is loaded.
 */
export function useSearchLanguage(isWanted: boolean): SearchLanguage | undefined {
  const [language, setLanguage] = useState(loaded)
  const isMissing = isWanted && language === undefined
  useEffect(() => {
    if (!isMissing) return
    let isCurrent = true
    void import('./search-language.ts').then((found) => {
      loaded = found
      if (isCurrent) setLanguage(found)
    })
    return () => {
      isCurrent = false
    }
  }, [isMissing])
  return language
}
