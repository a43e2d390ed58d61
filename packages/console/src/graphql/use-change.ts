import { useCallback, useMemo, useRef } from 'react'
import { type AnyVariables, CombinedError, type OperationContext, type TypedDocumentNode, useClient } from 'urql'
import { fetchOptionsWith } from './session-headers.ts'

/**
 * Returns a function that runs a mutation. Afterward, urql refetches queries that select the given types, even if the
 * response contains no object of these types, as after a deletion. The function throws the error of a failed mutation.
 */
export function useChange<Data, Variables extends AnyVariables>(
  document: TypedDocumentNode<Data, Variables>,
  types: readonly string[] = [],
): (variables: Variables, headers?: Record<string, string>) => Promise<Data> {
  const client = useClient()
  const names = types.join(' ')
  return useCallback(
    async (variables: Variables, headers?: Record<string, string>): Promise<Data> => {
      const additionalTypenames = names === '' ? [] : names.split(' ')
      const context = { additionalTypenames, ...(headers && { fetchOptions: fetchOptionsWith(headers) }) }
      const { data, error } = await client.mutation(document, variables, context)
      if (error !== undefined) throw error
      if (data === undefined) throw new Error('the server’s response contains no data')
      return data
    },
    [client, document, names],
  )
}

/**
 * Works like `useChange`, for mutations that create an object. If an attempt may have succeeded, a repeated call with
 * the same variables sends the same Idempotency-Key, so the server creates only one object.
 */
export function useCreation<Data, Variables extends AnyVariables>(
  document: TypedDocumentNode<Data, Variables>,
  types: readonly string[] = [],
): (variables: Variables) => Promise<Data> {
  const change = useChange(document, types)
  const unconfirmed = useRef<{ variables: string; key: string }>(undefined)
  return useCallback(
    async (given: Variables): Promise<Data> => {
      const variables = JSON.stringify(given)
      const key = unconfirmed.current?.variables === variables ? unconfirmed.current.key : newIdempotencyKey()
      unconfirmed.current = undefined
      try {
        return await change(given, { 'Idempotency-Key': `"${key}"` })
      } catch (error) {
        if (error instanceof CombinedError && mayHaveSucceeded(error)) unconfirmed.current = { variables, key }
        throw error
      }
    },
    [change],
  )
}

/** Returns whether this attempt, or an earlier attempt with the same key, may have succeeded. */
const mayHaveSucceeded = ({ networkError, graphQLErrors }: CombinedError): boolean =>
  networkError !== undefined ||
  graphQLErrors.some(
    ({ extensions: { code, reason } }) =>
      code === 'UNAVAILABLE' || code === 'RATE_LIMITED' || reason === 'still-running',
  )

/** Creates a random key without `crypto.randomUUID`, which exists only in secure contexts. */
const newIdempotencyKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')

/**
 * Marks a query with the types of a list that can be empty. An empty response contains no type that would trigger
 * another fetch.
 */
export function useTypes(...types: string[]): Partial<OperationContext> {
  const names = types.join(' ')
  return useMemo(() => ({ additionalTypenames: names.split(' ') }), [names])
}
