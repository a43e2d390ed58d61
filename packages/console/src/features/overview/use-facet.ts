import { useQuery } from 'urql'
import { useAttributeNames } from '../attributes/use-attribute-names.ts'
import { nameAmongFields } from '../filters/conditions.ts'
import { OverviewByValueDocument, type OverviewByValueQuery } from './overview.generated.ts'
import { usual } from './request-overview.ts'

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
  const first = useCounts(chosen ?? usual[0].name)
  const second = useCounts(chosen === undefined && first.isUnused ? usual[1].name : undefined)
  const isUnusual = first.isUnused && second.isUnused
  const { names, error } = useAttributeNames({ pause: chosen !== undefined || !isUnusual })
  const other = isUnusual && names !== undefined ? firstUsed(names) : undefined
  const third = useCounts(chosen === undefined ? other : undefined)
  if (chosen !== undefined) return { by: chosen, ...first }
  if (!first.isUnused) return { by: first.facet && usual[0].by, ...first }
  if (!second.isUnused) return { by: second.facet && usual[1].by, ...second }
  if (other === undefined) return { by: undefined, facet: undefined, error, refetch: first.refetch }
  return { by: other, ...third }
}

interface Counts extends Omit<UseFacet, 'by'> {
  /**
   * Whether no device has a value. Also true if counting fails, for example because `site` is a group, or because the
   * user cannot read the attribute.
   */
  isUnused: boolean
}

/** Counts nothing while `name` is undefined. */
function useCounts(name: string | undefined): Counts {
  const [{ data, error }, refetch] = useQuery({
    query: OverviewByValueDocument,
    variables: { by: name === undefined ? [] : [name] },
    pause: name === undefined,
    requestPolicy: 'cache-first',
  })
  const facet = data?.login?.facets[0]
  return { facet, error, isUnused: error !== undefined || facet?.buckets.length === 0, refetch }
}

const firstUsed = (names: readonly { name: string; devices: number }[]): string =>
  names
    .filter(({ name, devices }) => devices > 0 && !name.startsWith('$'))
    .map(({ name }) => nameAmongFields(name))[0] ?? 'platform'
