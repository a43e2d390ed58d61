import { useMemo } from 'react'
import { useClient, useQuery } from 'urql'
import { useChange } from '../../graphql/use-change.ts'
import { useLastValue } from '../../hooks/use-last-value.ts'
import { useLiveRefresh, useRefresh } from '../../hooks/use-refresh.ts'
import {
  SetTargetAttributeDocument,
  SetTargetAttributesDocument,
  TargetAttributesDocument,
} from './attributes.generated.ts'

type Nested = Record<string, unknown>

export interface Attributes {
  base: Nested
  /** Empty if no context is selected. */
  overrides: Nested
  contexts: string[]
}

/** A context's name, or undefined for the base values. */
export type Context = string | undefined

export interface UseAttributes {
  attributes: Attributes | undefined
  error: Error | undefined
  retry(): void
  /** Sets an attribute, or removes it if the value is null. Resolves after the attributes have been fetched again. */
  setOne(name: string, value: string | null, context: Context): Promise<void>
  setMany(attributes: Nested, context: Context): Promise<void>
}

export function useAttributes(targetId: string, context: Context): UseAttributes {
  const client = useClient()
  const variables = { id: [targetId], ...(context === undefined ? {} : { context }), inContext: context !== undefined }
  const [query, refetch] = useQuery({ query: TargetAttributesDocument, variables })
  const changeOne = useChange(SetTargetAttributeDocument, ['AttributeName', 'AttributeInfo'])
  const changeMany = useChange(SetTargetAttributesDocument, ['AttributeInfo'])

  const { data, error, operation } = query
  const refresh = useRefresh(query, () => refetch({ requestPolicy: 'network-only' }))
  const reload = async (): Promise<void> => {
    await client.query(TargetAttributesDocument, variables, { requestPolicy: 'network-only' }).toPromise()
  }
  useLiveRefresh(refresh, ({ type, target }) => type === 'ATTRIBUTE_CHANGE' && target[0]?.id === targetId)

  // Show no attributes while the selected context loads, because the loaded ones belong to the previous context.
  const isCurrent = operation !== undefined && operation.variables.context === context
  const found = isCurrent ? data?.login?.service[0] : undefined
  const last = useLastValue(useMemo(() => found && { context, target: found }, [found, context]))
  const target = last !== undefined && last.context === context ? last.target : undefined
  return {
    attributes: target && { base: target.base, overrides: target.overrides ?? {}, contexts: target.contexts },
    error: isCurrent ? error : undefined,
    retry: refresh,
    async setOne(name, value, target) {
      await changeOne({ id: targetId, name, value, context: target ?? null })
      await reload()
    },
    async setMany(attributes, target) {
      await changeMany({ id: targetId, attributes, context: target ?? null })
      await reload()
    },
  }
}
