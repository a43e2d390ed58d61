import { useQuery } from 'urql'
import { useAttributeNames } from '../attributes/use-attribute-names.ts'
import { nameAmongFields } from '../filters/conditions.ts'
import { OverviewByValueDocument, type OverviewByValueQuery } from './overview.generated.ts'
import { usual, usualNames } from './request-overview.ts'

type Facet = NonNullable<OverviewByValueQuery['login']>['facets'][number]

interface UseFacet {
  /** The attribute or field by which the devices are counted. Undefined until it is known. */
  by: string | undefined
  facet: Facet | undefined
  error: Error | undefined
  refetch(options?: { requestPolicy: 'network-only' }): void
}

/**
 * Counts devices by the chosen attribute or field. If the user has chosen none, tries the usual attributes first. In a
 * large account, the server can take seconds to list all names.
 */
export function useFacet(chosen: string | undefined): UseFacet {
  const requestPolicy = 'cache-and-network'
  const [first, refetchFirst] = useQuery({
    query: OverviewByValueDocument,
    variables: { by: usualNames },
    pause: chosen !== undefined,
    requestPolicy,
  })
  const facets = first.data?.login?.facets
  const index = facets?.findIndex(({ buckets }) => buckets.length > 0)
  // Counting fails if `site` is a group, or if the user cannot read one of the usual attributes.
  const isUnusual = index === -1 || first.error !== undefined
  const { names, error } = useAttributeNames({ pause: chosen !== undefined || !isUnusual })
  const other = chosen ?? (isUnusual && names !== undefined ? firstUsed(names) : undefined)
  const [second, refetchSecond] = useQuery({
    query: OverviewByValueDocument,
    variables: { by: other === undefined ? [] : [other] },
    pause: other === undefined,
    requestPolicy,
  })
  if (other !== undefined)
    return { by: other, facet: second.data?.login?.facets[0], error: second.error, refetch: refetchSecond }
  if (isUnusual || index === undefined) return { by: undefined, facet: undefined, error, refetch: refetchFirst }
  return { by: usual[index]!.by, facet: facets?.[index], error: undefined, refetch: refetchFirst }
}

const firstUsed = (names: readonly { name: string; devices: number }[]): string =>
  names
    .filter(({ name, devices }) => devices > 0 && !name.startsWith('$'))
    .map(({ name }) => nameAmongFields(name))[0] ?? 'platform'
