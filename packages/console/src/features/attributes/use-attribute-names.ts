import { type UseQueryArgs, useQuery } from 'urql'
import { useTypes } from '../../graphql/use-change.ts'
import { AttributeNamesDocument } from './attributes.generated.ts'

/** By default, the console's pages share one request, because the server may read all devices to count the names. */
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
