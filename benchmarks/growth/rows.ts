import { reservedColumns } from '../../packages/server/src/features/attributes/attributes.ts'
import { setAttribute, startStatusWrites } from './background-writes.ts'
import { eventRows } from './event-rows.ts'
import type { Fleet } from './fleet.ts'
import { matching } from './fleets.ts'
import { languageRows } from './language-rows.ts'
import type { Row } from './measure-ratio.ts'
import type { User } from './servers.ts'

/** Two fleets in one database, and a fleet as large as `small` in a second database, whose event log is short. */
export interface Fleets {
  small: Fleet
  large: Fleet
  shortLog: Fleet
}

const PAGE = 1_000
const WRITES_PER_SECOND = 300

const page = (list: string): string =>
  `{ login { devices(${list}) { items { id name hardwareId state lastReported attributes } hasMore cursor } } }`

export async function growthRows({ small, large, shortLog }: Fleets): Promise<Row[]> {
  const onBoth = (title: string, target: number | undefined, document: string): Row => ({
    title,
    ...(target !== undefined && { target }),
    small: () => small.user.query(document),
    large: () => large.user.query(document),
  })
  const first = page(`size: ${PAGE}`)
  const againstFirstPage = (title: string, target: number, document: string): Row => ({
    title,
    target,
    smallName: 'first page',
    largeName: 'this page',
    small: () => large.user.query(first),
    large: () => large.user.query(document),
  })
  const at = (part: number): number => Math.floor(large.devices * part) + 1
  const after = async (part: number): Promise<string> => {
    const response = await large.user.query(page(`size: 1, from: ${at(part)}`))
    return page(`size: ${PAGE}, after: ${JSON.stringify(response.data().login.devices.cursor)}`)
  }
  const whileWriting = (row: Row): Row => ({
    ...row,
    title: `${row.title}, under status writes`,
    startBackgroundLoad: () => startStatusWrites(large.user, large.ids, WRITES_PER_SECOND),
  })
  const far = againstFirstPage(`from: ${at(0.9)}`, 15, page(`size: ${PAGE}, from: ${at(0.9)}`))
  const middle = againstFirstPage(`from: ${at(0.5)}`, 15, page(`size: ${PAGE}, from: ${at(0.5)}`))
  return [
    onBoth('first page', undefined, first),
    againstFirstPage('after a tenth of the devices', 1.3, await after(0.1)),
    againstFirstPage('after half of the devices', 1.3, await after(0.5)),
    againstFirstPage('after 99% of the devices', 1.3, await after(0.99)),
    far,
    whileWriting(far),
    middle,
    whileWriting(middle),
    onBoth('total', 2, '{ login { devices(size: 1) { total } } }'),
    ...serviceRows(onBoth),
    ...filterRows(small, large, onBoth),
    ...languageRows(small, large),
    onBoth('sort by an attribute, first page', 20, page(`size: ${PAGE}, sort: "site"`)),
    bulkRow(small, large),
    ...[...reservedColumns.keys()].map((name) => reservedRow(name, small, large)),
    writeRow('setAttribute', 'load', small, large),
    writeRow('setAttribute of a reserved name', '$svc.statusC', small, large),
    {
      ...writeRow('appending an event', 'load', shortLog, small),
      ...{ target: 1.5, smallName: 'short log', largeName: 'long log' },
    },
    ...(await eventRows(shortLog, large)),
  ]
}

type OnBoth = (title: string, target: number | undefined, document: string) => Row

function serviceRows(onBoth: OnBoth): Row[] {
  const list = (filter: string): string =>
    `{ login { services(size: ${PAGE}${filter}) { items { id name application port attributes } hasMore cursor } } }`
  const matches = `where: "device.lot = ${matching.lot}"`
  return [
    onBoth('services, first page', 3, list('')),
    onBoth('services of devices with an attribute', 3, list(`, ${matches}`)),
    onBoth('totals of a filter', 3, `{ login { deviceTotals(where: "lot = ${matching.lot}") { total active } } }`),
  ]
}

function filterRows(small: Fleet, large: Fleet, onBoth: OnBoth): Row[] {
  const filtered = (title: string, filter: string): Row => onBoth(title, 3, page(`size: ${PAGE}, ${filter}`))
  return [
    byVariable('filter by an attribute', () => ({ attributes: { lot: matching.lot } }), small, large),
    byVariable('filter by a reserved name', () => ({ attributes: { '$svc.statusA': matching.status } }), small, large),
    filtered('filter by three letters of the name', `name: "${matching.namePart}"`),
    filtered('filter by digits of the name', `name: "${matching.commonPart}"`),
    filtered('filter by state', 'state: "inactive"'),
    byVariable(
      'filter by hardware ID',
      ({ hardwareIds }, turn) => ({ hardwareId: pick(hardwareIds, turn) }),
      small,
      large,
    ),
  ]
}

type Variables = (fleet: Fleet, turn: number) => object

const byVariable = (title: string, variables: Variables, small: Fleet, large: Fleet): Row => {
  const document = `query ($hardwareId: String, $attributes: Object) {
    login { devices(size: ${PAGE}, hardwareId: $hardwareId, attributes: $attributes) {
      items { id name hardwareId state lastReported attributes } hasMore cursor
    } }
  }`
  return {
    title,
    target: 3,
    small: (turn) => small.user.query(document, variables(small, turn)),
    large: (turn) => large.user.query(document, variables(large, turn)),
  }
}

const pick = (values: readonly string[], turn: number): string => values[turn % values.length]!

/**
 * Compares pages of both fleets in the order of a reserved attribute. Alternates between ascending and descending
 * order, so that consecutive requests differ.
 */
function reservedRow(name: string, small: Fleet, large: Fleet): Row {
  const sorted = (turn: number): string =>
    page(`size: ${PAGE}, sort: "$svc.${name} ${turn % 2 === 0 ? 'asc' : 'desc'}"`)
  return {
    title: `sort by $svc.${name}, first page`,
    target: 3,
    small: (turn) => small.user.query(sorted(turn)),
    large: (turn) => large.user.query(sorted(turn)),
  }
}

/** Compares writes to both fleets. Consecutive writes change different devices. */
function writeRow(title: string, name: string, small: Fleet, large: Fleet): Row {
  const write = ({ user, ids }: Fleet, turn: number) =>
    user.query(setAttribute, { deviceId: pick(ids, turn), name, value: `${Date.now()} ${turn}` })
  return { title, target: 1.5, small: (turn) => write(small, turn), large: (turn) => write(large, turn) }
}

/** Previews the change of an attribute on the matching devices. Cancels the job, because few jobs can be open. */
function bulkRow(small: Fleet, large: Fleet): Row {
  const create = `mutation ($where: String!) {
    createBulk(target: { where: $where }, operations: [{ setAttributes: { attributes: { load: "high" } } }]) { id state }
  }`
  const preview = async ({ user }: Fleet): ReturnType<User['query']> => {
    const response = await user.query(create, { where: `lot = ${matching.lot}` })
    const { id, state } = response.data().createBulk
    if (state !== 'READY') throw new Error(`The preview is ${state}, not READY.`)
    await user.query('mutation ($id: ID!) { cancelBulk(id: $id) { state } }', { id })
    return response
  }
  return { title: 'bulk preview', target: 3, small: () => preview(small), large: () => preview(large) }
}
