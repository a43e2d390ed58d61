import { useEffect, useState } from 'react'

export type SearchLanguage = typeof import('./search-language.ts')

let loaded: SearchLanguage | undefined

/** A separate module, because a list without a filter does not need the language. Undefined until loaded. */
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
