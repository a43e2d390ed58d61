import { Alert, Button, Group, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconPlus, IconRefresh } from '@tabler/icons-react'
import { useEffect, useMemo, useState } from 'react'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { Loading } from '../../components/loading.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { useUrlState } from '../../components/use-url-state.ts'
import { errorText } from '../../graphql/describe-error.ts'
import { useLabels } from '../user-settings/labels.ts'
import { AddDevice } from './add-device.tsx'
import { SelectionBar } from './bulk/selection-bar.tsx'
import { ColumnPicker } from './column-picker.tsx'
import { attributeOf, columnsOf } from './columns.ts'
import { CsvMenu } from './csv/csv-menu.tsx'
import { DeviceFilters } from './device-filters.tsx'
import type { DeviceRows } from './device-rows.ts'
import { DeviceTable, MOST_ROWS } from './device-table.tsx'
import type { DeviceQuery } from './devices-search.ts'
import { DEFAULT_SORT, type DevicesSearch, filterOf, isFiltered, readSort, writeSort } from './devices-search.ts'
import { useKeptColumns } from './kept-columns.ts'
import { type ListNames, useListNames } from './list-names.ts'
import { NoDevices } from './no-devices.tsx'
import { useSelection } from './selection.ts'
import { useDeviceRows } from './use-device-rows.ts'

export function DevicesPage() {
  const names = useListNames()
  return names === undefined ? <Loading what="devices" /> : <DeviceList names={names} />
}

const noWidths = {}

function DeviceList({ names }: { names: ListNames }) {
  const [search, change] = useUrlState('/shell/devices')
  const [isAdding, setAdding] = useState(false)
  const labels = useLabels()
  const kept = useKeptColumns()
  const shownIds = search.columns ?? kept.columns
  const columns = useMemo(() => columnsOf(shownIds, labels), [shownIds, labels])
  const query = queryOf(
    search,
    columns.some(({ id }) => attributeOf(id) !== undefined),
    names,
  )
  const { rows, isBehind, refresh } = useDeviceRows(query)
  const selection = useSelection(JSON.stringify(query.filter))
  const platforms = usePlatforms(rows)

  const keep = async (): Promise<void> => {
    try {
      await kept.keep(columns.map(({ id }) => id))
      change({ columns: undefined }, { replace: true })
    } catch (error) {
      notifications.show({ color: 'red', title: 'Your columns were not kept', message: errorText(error) })
    }
  }
  // Nothing stands under the pointer that could move away.
  const isFirst = rows.isOutdated && rows.length === 0
  useEffect(() => {
    if (isFirst) refresh()
  }, [isFirst, refresh])
  const shown = { columns, sort: query.sort }
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
              attributes={names.attributes}
              onChange={(next) => change({ columns: next })}
              onKeep={search.columns === undefined ? undefined : keep}
              onReset={
                search.columns === undefined && search.widths === undefined
                  ? undefined
                  : () => change({ columns: undefined, widths: undefined })
              }
            />
            <CsvMenu filter={query.filter} shown={shown} total={rows.total} onImported={refresh} />
            <Button leftSection={<IconPlus size={14} aria-hidden="true" />} onClick={() => setAdding(true)}>
              Add a device
            </Button>
          </>
        }
      />
      <DeviceFilters search={search} isBusy={isBehind} onChange={change} names={names} platforms={platforms} />
      <SelectionBar
        selection={selection}
        filter={query.filter}
        total={rows.total}
        attributes={names.attributes}
        shown={shown}
      />
      <Outdated isOutdated={rows.isOutdated} onRefresh={refresh} />
      {rows.error === undefined ? null : (
        <ErrorNotice error={rows.error} title="The devices could not be loaded" onRetry={rows.retry} />
      )}
      {isEmpty ? (
        <NoDevices
          isFiltered={isFiltered(query.filter)}
          onClear={() =>
            change({
              name: undefined,
              state: undefined,
              platform: undefined,
              application: undefined,
              attributes: undefined,
            })
          }
          onAdd={() => setAdding(true)}
        />
      ) : (
        <DeviceTable
          rows={rows}
          isBehind={isBehind}
          columns={columns}
          widths={search.widths ?? noWidths}
          sort={readSort(search.sort)}
          onSort={(sort) => change({ sort: writeSort(sort) === DEFAULT_SORT ? undefined : writeSort(sort) })}
          onResize={({ id }, width) => change({ widths: { ...search.widths, [id]: width } }, { replace: true })}
          selection={selection}
        />
      )}
      <AddDevice
        opened={isAdding}
        onClose={() => {
          setAdding(false)
          refresh()
        }}
      />
    </>
  )
}

function queryOf(search: DevicesSearch, withAttributes: boolean, { firstRecord }: ListNames): DeviceQuery {
  return { filter: filterOf(search), sort: search.sort ?? DEFAULT_SORT, withAttributes, firstRecord }
}

interface CountProps {
  rows: { total: number | undefined; length: number }
  isFiltered: boolean
}

const number = new Intl.NumberFormat()

function Count({ rows: { total, length }, isFiltered }: CountProps) {
  if (total === undefined) return null
  return (
    <Text c="dimmed" role="status">
      {number.format(total)} {isFiltered ? (total === 1 ? 'matches' : 'match') : 'in all'}
      {length > MOST_ROWS ? `, of which the first ${number.format(MOST_ROWS)} are listed: filter to see others` : ''}
    </Text>
  )
}

interface OutdatedProps {
  isOutdated: boolean
  onRefresh(): void
}

/** Rows keep their places under the pointer; the order of now is a click away. */
function Outdated({ isOutdated, onRefresh }: OutdatedProps) {
  if (!isOutdated) return null
  return (
    <Alert color="blue" py={6} mb="xs" role="status">
      <Group justify="space-between">
        <Text size="sm">Devices came, went or changed their place in this order.</Text>
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

/** The platforms of the rows seen so far, for the filter to suggest. */
function usePlatforms(rows: DeviceRows): readonly string[] {
  const [seen, setSeen] = useState<readonly string[]>([])
  useEffect(() => {
    const look = (): void => {
      const found = Array.from({ length: Math.min(rows.length, 500) }, (_, index) => rows.row(index)?.device.platform)
      setSeen((before) => {
        const all = new Set([...before, ...found.filter((platform) => platform != null && platform !== '')])
        return all.size === before.length ? before : ([...all].sort() as string[])
      })
    }
    look()
    return rows.listen(look)
  }, [rows])
  return seen
}
