import { Button, Text } from '@mantine/core'
import { IconFilterOff, IconPlug } from '@tabler/icons-react'
import { type CombinedError, useQuery } from 'urql'
import { RouterButton } from '../../app/links.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { Paging } from '../../components/list-table.tsx'
import { Loading } from '../../components/loading.tsx'
import { NotAllowed } from '../../components/not-allowed.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { servicesOf } from '../../graphql/live-events.ts'
import { useLastValue } from '../../hooks/use-last-value.ts'
import { useLiveRefresh, useRefresh } from '../../hooks/use-refresh.ts'
import { useUrlState } from '../../hooks/use-url-state.ts'
import { readSort } from '../devices/devices-search.ts'
import { problemOf } from '../filters/filter-problem.ts'
import { useViewer } from '../user-settings/viewer.ts'
import { type SavedView, useViews } from '../views/use-views.ts'
import { ViewTabs } from '../views/view-tabs.tsx'
import { ServicesList } from './account-services-table.tsx'
import { ServiceFilters } from './service-filters.tsx'
import { ServicePageDocument, ServiceTotalDocument } from './services.generated.ts'
import type { ServicesSearch } from './services-search.ts'

const PAGE_SIZE = 100
const DEFAULT_KEYS = ['device.name', 'name']

export function ServicesPage() {
  const { may } = useViewer()
  if (may('DEVICE_READ')) return <ServiceList />
  return (
    <>
      <PageHeader title="Services" />
      <NotAllowed permissions={['DEVICE_READ']}>You cannot see devices or their services.</NotAllowed>
    </>
  )
}

function ServiceList() {
  const { views, error, retry } = useViews('SERVICES')
  if (views !== undefined) return <ServicesOfAccount views={views} />
  if (error === undefined) return <Loading what="services" />
  return <ErrorNotice error={error} title="The services could not be loaded" onRetry={retry} />
}

function ServicesOfAccount({ views }: { views: readonly SavedView[] }) {
  const [search, change, show] = useUrlState('/shell/services')
  const { where, after } = search
  const view = views.find(({ id }) => id === search.view)
  const sortBy = sortKeys(search.sort, view)
  // Use the view ID from the URL, even if the view was deleted. The page then shows an error instead of all services.
  const filter = { where: where ?? null, view: search.view ?? null }
  const [query, refetch] = useQuery({
    query: ServicePageDocument,
    variables: { size: PAGE_SIZE, after: after ?? null, sortBy, ...filter },
    requestPolicy: 'cache-and-network',
  })
  const refresh = useRefresh(query, () => refetch({ requestPolicy: 'network-only' }))
  const last = useLastValue(query.data?.login?.services)
  // Hide the last list if the view no longer exists or is invalid, because that list may not match the URL.
  const page = isViewUnusable(query.error) ? undefined : last
  const shown = new Set(page?.items.map(({ id }) => id))
  useLiveRefresh(refresh, (event) => servicesOf(event).some((id) => shown.has(id)))
  const { error } = query
  const problem = problemOf(error)
  const changeFilter = (patch: ServicesSearch, options?: { replace?: boolean }): void =>
    change({ ...patch, after: undefined }, options)
  return (
    <>
      <PageHeader title="Services" beside={problem === undefined ? <Total filter={filter} /> : null} />
      <ViewTabs
        kind="SERVICES"
        views={views}
        view={view}
        content={{
          filters: [view?.where ?? undefined, where],
          context: view?.context ?? undefined,
          sortBy: search.sort === undefined && view === undefined ? [] : sortBy,
          note: 'The view also stores the sort order of the list.',
        }}
        isChanged={where !== undefined || search.sort !== undefined}
        onShow={(id) => show(id === undefined ? {} : { view: id })}
      />
      <ServiceFilters
        where={where}
        context={view?.context ?? undefined}
        isBusy={query.fetching || query.stale}
        problem={problem}
        onChange={changeFilter}
      />
      {problem === undefined ? (
        <ErrorNotice error={error} title="The services could not be loaded" onRetry={refresh} />
      ) : null}
      {page === undefined ? (
        error === undefined && <Loading what="services" />
      ) : page.items.length === 0 ? (
        <NoServices
          isFiltered={where !== undefined || search.view !== undefined}
          onClear={() => changeFilter({ where: undefined, view: undefined })}
        />
      ) : (
        <>
          <ServicesList
            services={page.items}
            sort={readSort(sortBy[0])}
            onSort={(next) => changeFilter({ sort: next })}
          />
          <Paging
            justify="flex-end"
            mt="xs"
            labels={['First page', 'Next page']}
            after={after}
            next={page.hasMore ? page.cursor : undefined}
            onPage={(cursor) => change({ after: cursor })}
          />
        </>
      )}
    </>
  )
}

/** Returns whether the saved view does not exist (NOT_FOUND) or is invalid (CONFLICT). */
const isViewUnusable = (error: CombinedError | undefined): boolean =>
  error?.graphQLErrors.some(({ extensions }) => extensions.code === 'NOT_FOUND' || extensions.code === 'CONFLICT') ??
  false

function sortKeys(sort: string | undefined, view: SavedView | undefined): string[] {
  if (sort !== undefined) return [sort, readSort(sort).by === 'device.name' ? 'name' : 'device.name']
  return view?.sortBy.length ? view.sortBy : DEFAULT_KEYS
}

/** Counts in a separate query, so that the list does not wait for the count. */
function Total({ filter }: { filter: { where: string | null; view: string | null } }) {
  const [{ data }] = useQuery({
    query: ServiceTotalDocument,
    variables: filter,
    requestPolicy: 'cache-and-network',
  })
  const total = data?.login?.services.total
  if (total === undefined) return null
  return (
    <Text c="dimmed" role="status">
      {total.toLocaleString()}{' '}
      {filter.where === null && filter.view === null ? 'in total' : total === 1 ? 'matches' : 'match'}
    </Text>
  )
}

function NoServices({ isFiltered, onClear }: { isFiltered: boolean; onClear(): void }) {
  if (isFiltered)
    return (
      <EmptyState
        icon={<IconFilterOff />}
        title="No matching services"
        action={
          <Button variant="default" onClick={onClear}>
            Clear the filter
          </Button>
        }
      />
    )
  return (
    <EmptyState
      icon={<IconPlug />}
      title="No services yet"
      action={<RouterButton to="/devices">Show the devices</RouterButton>}
    >
      Open a device to add a service, or let devices report their services.
    </EmptyState>
  )
}
