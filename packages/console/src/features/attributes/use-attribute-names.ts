import { type RequestPolicy, useQuery } from 'urql'
import { useTypes } from '../../graphql/use-change.ts'
import { AttributeNamesDocument } from './attributes.generated.ts'

/**
 * The attribute names in use, with their counts. The server may have to read all devices to count names, so by default,
 * all pages share one request. The names are refetched after this console changes an attribute.
 */
export function useAttributeNames(requestPolicy: RequestPolicy = 'cache-first') {
  const context = useTypes('AttributeName')
  const [{ data, error }, refetch] = useQuery({ query: AttributeNamesDocument, requestPolicy, context })
  return { names: data?.login?.attributeNames, error, refetch }
}
