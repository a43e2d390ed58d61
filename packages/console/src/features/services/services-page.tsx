import { Badge, Button, Group, MultiSelect, Select, Table, Text, UnstyledButton } from '@mantine/core'
import { IconArrowDown, IconArrowUp, IconFilterOff, IconPlug } from '@tabler/icons-react'
import { useQuery } from 'urql'
import { RouterAnchor, RouterButton } from '../../app/links.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import filterClasses from '../../components/filters.module.css'
import { ListTable } from '../../components/list-table.tsx'
import { Loading } from '../../components/loading.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { StateBadge } from '../../components/state-badge.tsx'
import { Time } from '../../components/time.tsx'
import { servicesOf, useLiveEvents } from '../../graphql/use-live-events.ts'
import { useLastValue } from '../../hooks/use-last-value.ts'
import { useRefresh } from '../../hooks/use-refresh.ts'
import { useUrlState } from '../../hooks/use-url-state.ts'
import { readSort, type Sort, writeSort } from '../devices/devices-search.ts'
import { ConditionPills } from '../filters/condition-pills.tsx'
import { chooseValues, valuesOf } from '../filters/conditions.ts'
import { problemOf } from '../filters/filter-problem.ts'
import { SearchBox } from '../filters/search-box.tsx'
import {
  ApplicationTypesDocument,
  ServicePageDocument,
  type ServicePageQuery,
  ServiceTotalDocument,
} from './services.generated.ts'
import type { ServicesSearch } from './services-search.ts'
import { portText } from './services-table.tsx'

const PAGE_SIZE = 100
const DEFAULT_SORT = 'device.name asc'

/** Shows the services of all devices. */
export function ServicesPage() {
  const [search, change] = useUrlState('/shell/services')
  const { where, after } = search
  const sort = search.sort ?? DEFAULT_SORT
  const sortBy = sort === DEFAULT_SORT ? ['device.name', 'name'] : [sort, 'device.name']
  const [query, refetch] = useQuery({
    query: ServicePageDocument,
    variables: { size: PAGE_SIZE, after: after ?? null, sortBy, where: where ?? null },
    requestPolicy: 'cache-and-network',
  })
  const refresh = useRefresh(query, () => refetch({ requestPolicy: 'network-only' }))
  const page = useLastValue(query.data?.login?.services)
  useLiveEvents({
    onEvents(events) {
      const shown = new Set(page?.items.map(({ id }) => id))
      if (events.some((event) => servicesOf(event).some((id) => shown.has(id)))) refresh()
    },
    onGap: refresh,
  })
  const { error } = query
  const problem = problemOf(error)
  const changeFilter = (patch: ServicesSearch, options?: { replace?: boolean }): void =>
    change({ ...patch, after: undefined }, options)
  return (
    <>
      <PageHeader title="Services" beside={<Total where={problem === undefined ? where : undefined} />} />
      <ServiceFilters where={where} isBusy={query.fetching || query.stale} problem={problem} onChange={changeFilter} />
      {error === undefined || problem !== undefined ? null : (
        <ErrorNotice error={error} title="The services could not be loaded" onRetry={refresh} />
      )}
      {page === undefined ? (
        error === undefined && <Loading what="services" />
      ) : page.items.length === 0 ? (
        <NoServices isFiltered={where !== undefined} onClear={() => changeFilter({ where: undefined })} />
      ) : (
        <>
          <Services services={page.items} sort={readSort(sort)} onSort={(next) => changeFilter({ sort: next })} />
          <Group justify="flex-end" mt="xs" gap="xs">
            {after === undefined ? null : (
              <Button size="xs" variant="default" onClick={() => change({ after: undefined })}>
                First page
              </Button>
            )}
            {page.hasMore ? (
              <Button size="xs" variant="default" onClick={() => change({ after: page.cursor ?? undefined })}>
                Next page
              </Button>
            ) : null}
          </Group>
        </>
      )}
    </>
  )
}

/** Counts in a separate query, so that the list does not wait for the count. */
function Total({ where }: { where: string | undefined }) {
  const [{ data }] = useQuery({
    query: ServiceTotalDocument,
    variables: { where: where ?? null },
    requestPolicy: 'cache-and-network',
  })
  const total = data?.login?.services.total
  if (total === undefined) return null
  return (
    <Text c="dimmed" role="status">
      {total.toLocaleString()} {where === undefined ? 'in total' : total === 1 ? 'matches' : 'match'}
    </Text>
  )
}

interface ServiceFiltersProps {
  where: string | undefined
  isBusy: boolean
  problem: ReturnType<typeof problemOf>
  onChange(patch: ServicesSearch, options?: { replace?: boolean }): void
}

function ServiceFilters({ where, isBusy, problem, onChange }: ServiceFiltersProps) {
  const [{ data }] = useQuery({ query: ApplicationTypesDocument, requestPolicy: 'cache-first' })
  const choose = (subject: string, values: string[]): void => onChange({ where: chooseValues(where, subject, values) })
  const chosenTypes = valuesOf(where, 'application')
  return (
    <>
      <Group
        gap="xs"
        mb="xs"
        align="flex-start"
        role="search"
        aria-label="Filter services"
        className={filterClasses.filters}
      >
        <SearchBox
          kind="SERVICES"
          label="Search services"
          placeholder="Name, host, or filter such as port = 22"
          where={where}
          context={undefined}
          isBusy={isBusy}
          problem={problem}
          onChange={(next, how) => onChange({ where: next }, how)}
        />
        <Select
          aria-label="State"
          placeholder="Any state"
          data={[
            { value: 'active', label: 'Active' },
            { value: 'inactive', label: 'Inactive' },
          ]}
          value={valuesOf(where, 'state')[0] ?? null}
          onChange={(state) => choose('state', state === null ? [] : [state])}
          clearable
          w={130}
        />
        <MultiSelect
          aria-label="Service type"
          placeholder={chosenTypes.length === 0 ? 'Any type' : undefined}
          data={(data?.applicationTypes ?? []).map(({ id, name }) => ({ value: String(id), label: name }))}
          value={chosenTypes}
          onChange={(values) => choose('application', values)}
          searchable
          clearable
          w={180}
        />
      </Group>
      <ConditionPills where={where} context={undefined} onChange={onChange} />
    </>
  )
}

type Listed = NonNullable<ServicePageQuery['login']>['services']['items'][number]

const columns: { label: string; sort?: string }[] = [
  { label: 'Name', sort: 'name' },
  { label: 'Device', sort: 'device.name' },
  { label: 'State', sort: 'state' },
  { label: 'Type', sort: 'application' },
  { label: 'Host' },
  { label: 'Port', sort: 'port' },
  { label: 'Last reported' },
]

interface ServicesProps {
  services: readonly Listed[]
  sort: Sort
  onSort(sort: string): void
}

function Services({ services, sort, onSort }: ServicesProps) {
  const heads = columns.map(({ label, sort: by }) =>
    by === undefined ? (
      <Table.Th key={label}>{label}</Table.Th>
    ) : (
      <SortHead key={label} label={label} by={by} sort={sort} onSort={onSort} />
    ),
  )
  return (
    <ListTable label="Services" heads={heads} minWidth={820}>
      {services.map((service) => (
        <Table.Tr key={service.id}>
          <Table.Td>
            <Group gap="xs">
              <RouterAnchor
                to="/devices/$deviceId/services/$serviceId"
                params={{ deviceId: service.device.id, serviceId: service.id }}
                inherit
                style={{ overflowWrap: 'anywhere' }}
              >
                {service.name}
              </RouterAnchor>
              {service.enabled ? null : <Badge color="gray">disabled</Badge>}
            </Group>
          </Table.Td>
          <Table.Td>
            <RouterAnchor
              to="/devices/$deviceId"
              params={{ deviceId: service.device.id }}
              inherit
              style={{ overflowWrap: 'anywhere' }}
            >
              {service.device.name}
            </RouterAnchor>
          </Table.Td>
          <Table.Td>
            <StateBadge state={service.state} />
          </Table.Td>
          <Table.Td>{service.title}</Table.Td>
          <Table.Td style={{ overflowWrap: 'anywhere' }}>
            {service.host ?? (
              <Text span inherit c="dimmed">
                the device
              </Text>
            )}
          </Table.Td>
          <Table.Td>{portText(service)}</Table.Td>
          <Table.Td>
            <Time value={service.lastReported} />
          </Table.Td>
        </Table.Tr>
      ))}
    </ListTable>
  )
}

interface SortHeadProps {
  label: string
  by: string
  sort: Sort
  onSort(sort: string): void
}

function SortHead({ label, by, sort, onSort }: SortHeadProps) {
  const isSorted = sort.by === by
  const Arrow = sort.isDescending ? IconArrowDown : IconArrowUp
  return (
    <Table.Th aria-sort={isSorted ? (sort.isDescending ? 'descending' : 'ascending') : undefined}>
      <UnstyledButton
        fw={700}
        fz="inherit"
        title={`Sort by ${label}`}
        onClick={() => onSort(writeSort({ by, isDescending: isSorted && !sort.isDescending }))}
      >
        {label} {isSorted ? <Arrow size={14} aria-hidden="true" style={{ verticalAlign: 'middle' }} /> : null}
      </UnstyledButton>
    </Table.Th>
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
      Open a device to add a service, or let devices register with services.
    </EmptyState>
  )
}
