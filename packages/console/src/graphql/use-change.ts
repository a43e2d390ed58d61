import { useCallback, useMemo } from 'react'
import { type AnyVariables, type OperationContext, type TypedDocumentNode, useClient } from 'urql'

/**
 * Runs a mutation; rejects with the error, so that dialogs can show it. Afterwards every query over one of these types asks
 * again, also where the answer names none of them, as a deletion's.
 */
export function useChange<Data, Variables extends AnyVariables>(
  document: TypedDocumentNode<Data, Variables>,
  types: readonly string[] = [],
): (variables: Variables) => Promise<Data> {
  const client = useClient()
  const names = types.join(' ')
  return useCallback(
    async (variables: Variables): Promise<Data> => {
      const context = { additionalTypenames: names === '' ? [] : names.split(' ') }
      const { data, error } = await client.mutation(document, variables, context)
      if (error !== undefined) throw error
      if (data === undefined) throw new Error('the server answered nothing')
      return data
    },
    [client, document, names],
  )
}

/** For queries over lists that may be empty: an empty answer names no type by which it could be found again. */
export function useTypes(...types: string[]): Partial<OperationContext> {
  const names = types.join(' ')
  return useMemo(() => ({ additionalTypenames: names.split(' ') }), [names])
}
