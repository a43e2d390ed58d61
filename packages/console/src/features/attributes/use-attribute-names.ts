import { type RequestPolicy, useQuery } from 'urql'
import { useTypes } from '../../graphql/use-change.ts'
import { AttributeNamesDocument } from './attributes.generated.ts'

/**
 * The attribute names in use, with their counts. All pages share one request: the server may have to read every device
 * to count, so by default only the first page asks, and again after this console has changed an attribute.
 */
export function useAttributeNames(requestPolicy: RequestPolicy = 'cache-first') {
  const context = useTypes('AttributeName')
  const [{ data, error }, again] = useQuery({ query: AttributeNamesDocument, requestPolicy, context })
  return { names: data?.login?.attributeNames, error, again }
}
