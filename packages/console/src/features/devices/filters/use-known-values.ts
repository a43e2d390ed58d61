import { useQuery } from 'urql'
import { KnownValuesDocument } from '../devices.generated.ts'

/** Returns up to 100 values that devices have for a field or attribute. Sends no request if the name is undefined. */
export function useKnownValues(name: string | undefined): string[] {
  const [{ data }] = useQuery({
    query: KnownValuesDocument,
    variables: { by: [name ?? ''] },
    pause: name === undefined,
    requestPolicy: 'cache-and-network',
  })
  const buckets = name === undefined ? undefined : data?.login?.facets[0]?.buckets
  return buckets?.map(({ value }) => value) ?? []
}
