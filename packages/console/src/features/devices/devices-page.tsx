import { Alert, Button, Group, Text } from '@mantine/core'
import { IconPlus, IconRefresh } from '@tabler/icons-react'
import { lazy, Suspense, useEffect, useMemo, useState } from 'react'
import { ErrorNotice, notifyError } from '../../components/error-notice.tsx'
import { Loading } from '../../components/loading.tsx'
import { NotAllowed } from '../../components/not-allowed.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { useUrlState } from '../../hooks/use-url-state.ts'
import { problemOf } from '../filters/filter-problem.ts'
import { useLabels } from '../user-settings/labels.ts'
import { useViewer } from '../user-settings/viewer.ts'
import { type SavedView, useViews } from '../views/use-views.ts'
import { ViewTabs } from '../views/view-tabs.tsx'
import { SelectionBar } from './bulk/selection-bar.tsx'
import { attributeOf, columnOfName, columnsOf, defaultColumns } from './columns/columns.ts'
import { ColumnPicker } from './columns/columns-popover.tsx'
import { useSavedColumns } from './columns/saved-columns.ts'
import { CsvMenu } from './csv/csv-menu.tsx'
import { DEFAULT_SORT, type DeviceQuery, isFiltered, readSort, writeSort } from './devices-search.ts'
import { DeviceFilters } from './filters/device-filters.tsx'
import { useShownRows } from './rows/use-shown-rows.ts'
import { DeviceTable, MAX_ROWS } from './table/device-table.tsx'
import { type ListOptions, useListOptions } from './use-list-options.ts'
import { useSelection } from './use-selection.ts'

const NoDevices = lazy(async () => ({ default: (await import('./no-devices.tsx')).NoDevices }))
const AddDevice = lazy(async () => ({ default: (await import('./add-device.tsx')).AddDevice }))

export function DevicesPage() {
  const { may } = useViewer()
  if (may('DEVICE_READ')) return <Devices />
  return (
    <>
      <PageHeader title="Devices" />
      <NotAllowed permissions={['DEVICE_READ']}>You cannot see devices.</NotAllowed>
    </>
  )
}

function Devices() {
  const { options, ...list } = useListOptions()
  const { views, ...saved } = useViews('DEVICES')
  if (options !== undefined && views !== undefined) return <DeviceList options={options} views={views} />
  const error = list.error ?? saved.error
  if (error === undefined) return <Loading what="devices" />
  const retry = (): void => {
    list.retry()
    saved.retry()
  }
  return <ErrorNotice error={error} title="The devices could not be loaded" onRetry={retry} />
}

const noWidths: Readonly<Record<string, number>> = {}

function DeviceList({ options, views }: { options: ListOptions; views: readonly SavedView[] }) {
  const [search, change, show] = useUrlState('/shell/devices')
  const [isAdding, setAdding] = useState(false)
  const { may } = useViewer()
  const labels = useLabels()
  const saved = useSavedColumns()
  const view = views.find(({ id }) => id === search.view)
  const ownColumns = saved.columns ?? defaultColumns(options.mostUsed)
  const shownIds = search.columns ?? viewColumns(view) ?? ownColumns
  const shownKey = JSON.stringify(shownIds)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key contains the IDs
  const columns = useMemo(() => columnsOf(shownIds, labels, view?.columns), [shownKey, labels, view])
  const context = search.context ?? view?.context ?? undefined
  const query: DeviceQuery = {
    filter: { where: search.where, view: search.view, context },
    sortBy: search.sort !== undefined ? [search.sort] : view?.sortBy.length ? view.sortBy : [DEFAULT_SORT],
    withAttributes: columns.some(({ id }) => attributeOf(id) !== undefined),
    firstRecord: options.firstRecord,
  }
  const widths = search.widths ?? noWidths
  const { rows, isStale, refresh } = useShownRows(query)
  const selection = useSelection(JSON.stringify(query.filter))

  const saveColumns = async (): Promise<void> => {
    try {
      await saved.save(columns.map(({ id }) => id))
      change({ columns: undefined }, { replace: true })
    } catch (error) {
      notifyError('Your columns were not saved', error)
    }
  }
  // Refresh an empty list automatically, because it contains no rows that could move.
  const shouldRefresh = rows.isOutdated && rows.length === 0
  useEffect(() => {
    if (shouldRefresh) refresh()
  }, [shouldRefresh, refresh])
  const shown = { columns, sortBy: query.sortBy }
  const isEmpty = rows.isReady && rows.error === undefined && rows.length === 0
  return (
    <>
      <PageHeader
        title="Devices"
        beside={<Count rows={rows} isFiltered={isFiltered(query.filter)} />}
        actions={
          <>
            <ColumnPicker
              shown={columns.map(({ id }) => id)}
              attributes={options.attributes}
              onChange={(next) => change({ columns: next })}
              onSave={search.columns === undefined ? undefined : saveColumns}
              onReset={
                search.columns === undefined && search.widths === undefined
                  ? undefined
                  : () => change({ columns: undefined, widths: undefined })
              }
            />
            <CsvMenu filter={query.filter} shown={shown} total={rows.total} onImported={refresh} />
            {may('DEVICE_CREATE') ? (
              <Button leftSection={<IconPlus size={14} aria-hidden="true" />} onClick={() => setAdding(true)}>
                Add a device
              </Button>
            ) : null}
          </>
        }
      />
      <ViewTabs
        kind="DEVICES"
        views={views}
        view={view}
        content={{
          filters: [view?.where ?? undefined, search.where],
          context,
          sortBy: search.sort === undefined && view === undefined ? [] : query.sortBy,
          columns: columns.map(({ id, label }) => ({
            name: id,
            label: view?.columns.find(({ name }) => name === id)?.label === label ? label : null,
            width: widths[id] ?? view?.columns.find(({ name }) => name === id)?.width ?? null,
          })),
          note: 'The view also stores the list’s sort order and columns.',
        }}
        isChanged={Object.entries(search).some(([name, value]) => name !== 'view' && value !== undefined)}
        onShow={(id) => show(id === undefined ? {} : { view: id })}
      />
      <DeviceFilters
        search={search}
        context={context}
        hasRows={rows.isReady || rows.error !== undefined}
        isBusy={isStale || !rows.isReady}
        problem={problemOf(rows.error)}
        onChange={change}
        options={options}
      />
      <SelectionBar selection={selection} filter={query.filter} total={rows.total} shown={shown} onMoved={refresh} />
      <Outdated isOutdated={rows.isOutdated} onRefresh={refresh} />
      {problemOf(rows.error) === undefined ? (
        <ErrorNotice error={rows.error} title="The devices could not be loaded" onRetry={rows.retry} />
      ) : null}
      {isEmpty ? (
        <Suspense>
          <NoDevices
            isFiltered={isFiltered(query.filter)}
            onClear={() => change({ where: undefined, view: undefined })}
            onAdd={() => setAdding(true)}
          />
        </Suspense>
      ) : (
        <DeviceTable
          rows={rows}
          isStale={isStale}
          columns={columns}
          widths={widths}
          sort={readSort(query.sortBy[0])}
          onSort={(sort) =>
            change({ sort: writeSort(sort) === DEFAULT_SORT && view === undefined ? undefined : writeSort(sort) })
          }
          onResize={({ id }, width) => change({ widths: { ...search.widths, [id]: width } }, { replace: true })}
          selection={selection}
        />
      )}
      {isAdding ? (
        <Suspense>
          <AddDevice
            onClose={() => {
              setAdding(false)
              refresh()
            }}
          />
        </Suspense>
      ) : null}
    </>
  )
}

const viewColumns = (view: SavedView | undefined): string[] | undefined =>
  view?.columns.length ? view.columns.map(({ name }) => columnOfName(name)) : undefined

interface CountProps {
  rows: { total: number | undefined; length: number }
  isFiltered: boolean
}

const number = new Intl.NumberFormat()

function Count({ rows: { total, length }, isFiltered }: CountProps) {
  if (total === undefined) return null
  return (
    <Text c="dimmed" role="status">
      {number.format(total)} {isFiltered ? (total === 1 ? 'matches' : 'match') : 'in total'}
      {length > MAX_ROWS
        ? `. The list shows only the first ${number.format(MAX_ROWS)}. Use filters to see the others.`
        : ''}
    </Text>
  )
}

/** Offers to refresh an outdated list, because an automatic refresh could move a row while the user clicks it. */
function Outdated({ isOutdated, onRefresh }: { isOutdated: boolean; onRefresh(): void }) {
  if (!isOutdated) return null
  return (
    <Alert color="blue" py={6} mb="xs" role="status">
      <Group justify="space-between">
        <Text size="sm">This list is out of date.</Text>
        <Button
          size="xs"
          variant="light"
          leftSection={<IconRefresh size={14} aria-hidden="true" />}
          onClick={onRefresh}
        >
          Refresh
        </Button>
      </Group>
    </Alert>
  )
}
