import { useMemo } from 'react'
import { useClient, useQuery } from 'urql'
import { useLastValue } from '../../components/use-last-value.ts'
import { useRefresh } from '../../components/use-refresh.ts'
import { useChange } from '../../graphql/use-change.ts'
import { useLiveEvents } from '../../graphql/use-live-events.ts'
import {
  SetTargetAttributeDocument,
  SetTargetAttributesDocument,
  TargetAttributesDocument,
} from './attributes.generated.ts'

type Nested = Record<string, unknown>

export interface Attributes {
  base: Nested
  /** What is set in the chosen context alone; nothing where none is chosen. */
  overrides: Nested
  /** Those in use on the target. */
  contexts: string[]
}

/** The chosen place for a value: a context, or undefined for the base. */
export type Place = string | undefined

export interface UseAttributes {
  /** Undefined until it is there. */
  attributes: Attributes | undefined
  error: Error | undefined
  retry(): void
  /** Null removes. Resolves when what is shown has the change in it. */
  setOne(name: string, value: string | null, place: Place): Promise<void>
  /** All or none. */
  setMany(attributes: Nested, place: Place): Promise<void>
}

/** Attributes of a device or service, in the base and in a context, as they are now. */
export function useAttributes(targetId: string, context: Place): UseAttributes {
  const client = useClient()
  const variables = { id: [targetId], ...(context === undefined ? {} : { context }), inContext: context !== undefined }
  const [query, ask] = useQuery({ query: TargetAttributesDocument, variables })
  const changeOne = useChange(SetTargetAttributeDocument, ['AttributeName'])
  const changeMany = useChange(SetTargetAttributesDocument)

  const { data, error, operation } = query
  const refresh = useRefresh(query, () => ask({ requestPolicy: 'network-only' }))
  /** Until what was written is shown. */
  const askAgain = async (): Promise<void> => {
    await client.query(TargetAttributesDocument, variables, { requestPolicy: 'network-only' }).toPromise()
  }
  useLiveEvents({
    onEvents(events) {
      if (events.some(({ type, target }) => type === 'ATTRIBUTE_CHANGE' && target[0]?.id === targetId)) refresh()
    },
    onGap: refresh,
  })

  // Until the answer for the chosen context is there, that of the one before is not shown for it.
  const isCurrent = operation !== undefined && operation.variables.context === context
  const found = isCurrent ? data?.login?.service[0] : undefined
  const kept = useLastValue(useMemo(() => found && { context, target: found }, [found, context]))
  const target = kept !== undefined && kept.context === context ? kept.target : undefined
  return {
    attributes: target && { base: target.base, overrides: target.overrides ?? {}, contexts: target.contexts },
    error: isCurrent ? error : undefined,
    retry: refresh,
    async setOne(name, value, place) {
      await changeOne({ id: targetId, name, value, context: place ?? null })
      await askAgain()
    },
    async setMany(attributes, place) {
      await changeMany({ id: targetId, attributes, context: place ?? null })
      await askAgain()
    },
  }
}
