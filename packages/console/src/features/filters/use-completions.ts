import { useEffect, useState } from 'react'
import { useClient } from 'urql'
import type { ListKind } from './filter-problem.ts'
import { CheckFilterDocument, type CheckFilterQuery } from './filters.generated.ts'
import type { SearchLanguage } from './use-search-language.ts'

/** `from` and `to` are string indexes, although the API counts code points. */
type Completion = NonNullable<CheckFilterQuery['login']>['checkFilter']['completions'][number]

const MAX_SHOWN = 12

interface CompletionOptions {
  kind: ListKind
  /** Position of the cursor, as a string index. Undefined unless the user is editing the filter. */
  cursor: number | undefined
  context: string | undefined
  language: SearchLanguage | undefined
}

interface Completions {
  completions: readonly Completion[]
  /** True until the server has responded, and also if the request has failed. */
  areLoading: boolean
}

export function useCompletions(text: string, { kind, cursor, context, language }: CompletionOptions): Completions {
  const client = useClient()
  const [found, setFound] = useState<{ text: string; cursor: number; completions: Completion[] }>()
  useEffect(() => {
    if (cursor === undefined || language === undefined || text === '') return
    const { toCodePoints, toIndex } = language
    let isCurrent = true
    const load = async (): Promise<void> => {
      const variables = { where: text, kind, cursor: toCodePoints(text, cursor), context }
      const { data } = await client.query(CheckFilterDocument, variables).toPromise()
      if (!isCurrent || data?.login == null) return
      const completions = data.login.checkFilter.completions.map((completion) => ({
        ...completion,
        from: toIndex(text, completion.from),
        to: toIndex(text, completion.to),
      }))
      setFound({ text, cursor, completions })
    }
    void load()
    return () => {
      isCurrent = false
    }
  }, [client, text, kind, cursor, context, language])
  if (found === undefined || found.text !== text || found.cursor !== cursor)
    return { completions: [], areLoading: cursor !== undefined && language !== undefined && text !== '' }
  // After a complete value, offer no completions until the user types a separator, such as a space.
  const isUseful = ({ text: completion, from, to }: Completion): boolean =>
    completion !== text.slice(from, to) && (from < to || /[\s(,=:<>]$/.test(text.slice(0, from)))
  return { completions: found.completions.filter(isUseful).slice(0, MAX_SHOWN), areLoading: false }
}
