import { type UseQueryArgs, useQuery } from 'urql'
import { useTypes } from '../../graphql/use-change.ts'
import { AttributeNamesDocument } from './attributes.generated.ts'

/**
 * Returns the attribute names in use, with their counts. By default, all pages share one request, because the server
 * may have to read all devices to count names. The console fetches the names again after the user sets or removes an
 * attribute.
 */
export function useAttributeNames(options: Pick<UseQueryArgs, 'requestPolicy' | 'pause'> = {}) {
  const context = useTypes('AttributeName')
  const [{ data, error }, refetch] = useQuery({
    query: AttributeNamesDocument,
    requestPolicy: 'cache-first',
    context,
    ...options,
  })
  return { names: data?.login?.attributeNames, error, refetch }
}
