import { hash } from 'node:crypto'
import type { SqlStart } from '../../../db/sorted-page.ts'
import { boundedMap } from '../../../lib/bounded-map.ts'
import type { DeviceFilter } from './device-filter.ts'
import { type countInSample, type DevicePageQuery, type ListedDeviceRow, WALKED } from './device-list.queries.ts'
import { isIndexed } from './device-row-cost.ts'
import { keyOf, reservedColumn } from './device-sort.queries.ts'

type Page = Omit<DevicePageQuery, 'search' | 'walked'>

type SampledPage = Page & { start: SqlStart }

export interface PageReading {
  accountId: string
  page: Page
  read: (page: DevicePageQuery) => Promise<ListedDeviceRow[]>
  countInSample: (page: SampledPage & { walked: number }) => ReturnType<typeof countInSample>
  charge: () => Promise<void> | void
  countAll: () => Promise<number>
}

/** The number of devices in the sample that shows whether a walk is likely to fill the page. */
const SAMPLED = 250

/**
 * A filter with `where` or a restriction may have no index. If the order has an index, the server then does not charge
 * for a page that the first read fills. A read that fills the page usually ends early.
 */
export async function readDevicePage(reading: PageReading): Promise<ListedDeviceRow[]> {
  const { page, read, charge } = reading
  if (hasCondition(page) && !isIndexed(page.filter)) return readWithoutIndex(reading)
  await charge()
  return canSample(page) ? readMatches({ ...reading, page }) : read(page)
}

async function readWithoutIndex({ page, read, charge, countAll }: PageReading): Promise<ListedDeviceRow[]> {
  if (!canWalk(page)) {
    await charge()
    return read(page)
  }
  const isLarge = (await countAll()) > WALKED
  const rows = await read({ ...page, search: isLarge ? 'walk' : 'planned' })
  if (rows.length >= page.limit) return rows
  await charge()
  return isLarge ? read({ ...page, search: 'scan' }) : rows
}

/** A walk requires an order with an index. */
const canWalk = ({ order, start }: Page): boolean =>
  order.further.length === 0 && !('afterKeys' in start) && !keyOf(order).isComputed

const skipsDevices = ({ start }: Page): boolean => 'offset' in start && start.offset > 0

const hasCondition = ({ filter: { where, inside } }: Page): boolean => where !== undefined || inside !== undefined

/** Only a list by name is sampled. In most other orders, the index of the order may also serve the filter. */
const canSample = (page: Page): page is SampledPage => {
  const { order, filter } = page
  const isByName = order.by === 'name' && order.further.length === 0
  const isByIds = filter.ids !== undefined || filter.hardwareId !== undefined
  const isSampled = isIndexed(filter) && (hasCondition(page) || canMisjudge(filter))
  return isSampled && isByName && !skipsDevices(page) && !isByIds
}

/**
 * PostgreSQL estimates the matches of a part of a name, or of an attribute, from a hundred devices in its statistics.
 * If one of them matches by chance, it expects that a hundredth of all devices match. Its estimates for the other
 * arguments are reliable. In a context, even a sample would look up all devices with the value.
 */
const canMisjudge = ({ name, values = [], context }: DeviceFilter): boolean =>
  context === undefined && (name !== undefined || values.some((value) => reservedColumn(value.name) === undefined))

type Choice = Pick<DevicePageQuery, 'search' | 'walked'>

const MAX_CHOICES = 1_000
/** How long the choice for a page is used again without a new sample. */
const REUSED_MS = 60_000
/** Contains no filters, only their hashes, because filters can be long. */
const choices = boundedMap<string, { choice: Choice; until: number }>(MAX_CHOICES)

function choiceKey(accountId: string, { filter, order, start, limit }: SampledPage): string {
  const matching = { ...filter, where: filter.where?.canonical, now: undefined }
  return hash('sha256', JSON.stringify([accountId, matching, order.direction, start, limit]))
}

/** Programs often request the same page again, so this function remembers how it read the page. */
async function readMatches(reading: PageReading & { page: SampledPage }): Promise<ListedDeviceRow[]> {
  const { accountId, page, read } = reading
  const key = choiceKey(accountId, page)
  const known = choices.get(key)
  const isKnown = known !== undefined && performance.now() < known.until
  const choice = isKnown ? known.choice : await chooseFromSample(reading)
  const rows = await read({ ...page, ...choice })
  const isFull = choice.search !== 'walk' || rows.length >= page.limit
  if (!isKnown || !isFull)
    choices.set(key, { choice: isFull ? choice : { search: 'scan' }, until: performance.now() + REUSED_MS })
  return isFull ? rows : read({ ...page, search: 'scan' })
}

/**
 * PostgreSQL assumes that the matches are evenly distributed in the list. If it expects many matches, it reads the list
 * in order, even if the matches are few or at the end of the list. This function therefore samples the first devices,
 * which shows whether a walk is likely to fill the page.
 */
async function chooseFromSample({ page, countInSample }: PageReading & { page: SampledPage }): Promise<Choice> {
  const { devices, matches } = await countInSample({ ...page, walked: SAMPLED })
  // The list ends within the sample, or the account is small.
  if (devices < SAMPLED) return { search: 'planned' }
  const expected = (SAMPLED * page.limit) / matches
  const walked = Math.ceil(1.5 * expected)
  return walked <= WALKED ? { search: 'walk', walked } : { search: 'scan' }
}
