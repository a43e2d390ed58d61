import { reservedColumns } from '../../packages/server/src/features/attributes/attributes.ts'
import { hit } from './fleets.ts'
import type { Row } from './measure.ts'
import type { User } from './servers.ts'
import { setAttribute, startWriting } from './status-writes.ts'

/** The same two fleets in one database; `quiet` is the smaller one's size in a database whose log is short. */
export interface Fleets {
  few: Fleet
  many: Fleet
  quiet: Fleet
}

export interface Fleet {
  user: User
  devices: number
  /** Of devices all over it. */
  ids: readonly string[]
  hardwareIds: readonly string[]
}

const PAGE = 1_000
const WRITES_PER_SECOND = 300

const page = (list: string): string =>
  `{ login { devices(${list}) { items { id name hardwareId state lastReported attributes } hasMore cursor } } }`

/** Everything that is measured, in the order of the report. */
export async function growthRows({ few, many, quiet }: Fleets): Promise<Row[]> {
  const same = (title: string, target: number | undefined, document: string): Row => ({
    title,
    ...(target !== undefined && { target }),
    small: () => few.user.ask(document),
    large: () => many.user.ask(document),
  })
  const first = page(`size: ${PAGE}`)
  const deep = (title: string, target: number, document: string): Row => ({
    title,
    target,
    of: 'first page',
    with: 'this page',
    small: () => many.user.ask(first),
    large: () => many.user.ask(document),
  })
  const at = (part: number): number => Math.floor(many.devices * part) + 1
  const after = async (part: number): Promise<string> => {
    const answer = await many.user.ask(page(`size: 1, from: ${at(part)}`))
    return page(`size: ${PAGE}, after: ${JSON.stringify(answer.data().login.devices.cursor)}`)
  }
  const whileWriting = (row: Row): Row => ({
    ...row,
    title: `${row.title}, under status writes`,
    meanwhile: () => startWriting(many.user, many.ids, WRITES_PER_SECOND),
  })
  const far = deep(`from: ${at(0.9)}`, 15, page(`size: ${PAGE}, from: ${at(0.9)}`))
  const middle = deep(`from: ${at(0.5)}`, 15, page(`size: ${PAGE}, from: ${at(0.5)}`))
  return [
    same('first page', undefined, first),
    deep('after, at a tenth', 1.3, await after(0.1)),
    deep('after, at the middle', 1.3, await after(0.5)),
    deep('after, at 99 %', 1.3, await after(0.99)),
    far,
    whileWriting(far),
    middle,
    whileWriting(middle),
    same('total', 2, '{ login { devices(size: 1) { total } } }'),
    ...filterRows(few, many, same),
    same('sort by an attribute, first page', 20, page(`size: ${PAGE}, sort: "site"`)),
    ...[...reservedColumns.keys()].map((name) => reservedRow(name, few, many)),
    writeRow('setAttribute', 'load', few, many),
    writeRow('setAttribute of a reserved name', '$svc.statusC', few, many),
    ...logRows(few, many, quiet),
  ]
}

function filterRows(few: Fleet, many: Fleet, same: (title: string, target: number, document: string) => Row): Row[] {
  const filtered = (title: string, filter: string): Row => same(title, 3, page(`size: ${PAGE}, ${filter}`))
  return [
    byVariable('filter by an attribute', () => ({ attributes: { lot: hit.lot } }), few, many),
    byVariable('filter by a reserved name', () => ({ attributes: { '$svc.statusA': hit.status } }), few, many),
    filtered('filter by three letters of the name', `name: "${hit.namePart}"`),
    filtered('filter by digits of the name', `name: "${hit.commonPart}"`),
    filtered('filter by state', 'state: "inactive"'),
    byVariable(
      'filter by hardware id',
      ({ hardwareIds }, turn) => ({ hardwareId: pick(hardwareIds, turn) }),
      few,
      many,
    ),
  ]
}

type Variables = (fleet: Fleet, turn: number) => object

const byVariable = (title: string, variables: Variables, few: Fleet, many: Fleet): Row => {
  const document = `query ($hardwareId: String, $attributes: Object) {
    login { devices(size: ${PAGE}, hardwareId: $hardwareId, attributes: $attributes) {
      items { id name hardwareId state lastReported attributes } hasMore cursor
    } }
  }`
  return {
    title,
    target: 3,
    small: (turn) => few.user.ask(document, variables(few, turn)),
    large: (turn) => many.user.ask(document, variables(many, turn)),
  }
}

const pick = (values: readonly string[], turn: number): string => values[turn % values.length]!

/** In both directions. */
function reservedRow(name: string, few: Fleet, many: Fleet): Row {
  const sorted = (turn: number): string =>
    page(`size: ${PAGE}, sort: "$svc.${name} ${turn % 2 === 0 ? 'asc' : 'desc'}"`)
  return {
    title: `sort by $svc.${name}, first page`,
    target: 3,
    small: (turn) => few.user.ask(sorted(turn)),
    large: (turn) => many.user.ask(sorted(turn)),
  }
}

/** Of another device each time. */
function writeRow(title: string, name: string, few: Fleet, many: Fleet): Row {
  const write = ({ user, ids }: Fleet, turn: number) =>
    user.ask(setAttribute, { deviceId: pick(ids, turn), name, value: `${Date.now()} ${turn}` })
  return { title, target: 1.5, small: (turn) => write(few, turn), large: (turn) => write(many, turn) }
}

function logRows(few: Fleet, many: Fleet, quiet: Fleet): Row[] {
  const newest = '{ login { events(size: 100) { items { id type timestamp target { id name kind } data } } } }'
  const ofDevice = `query ($deviceId: [String!]) {
    login { events(size: 100, deviceId: $deviceId) { items { id type timestamp target { id name kind } data } } }
  }`
  const compared = { target: 1.5, of: 'short log', with: 'long log' }
  return [
    { ...writeRow('appending an event', 'load', quiet, few), ...compared },
    { title: 'newest events', ...compared, small: () => quiet.user.ask(newest), large: () => many.user.ask(newest) },
    {
      title: 'newest events of a device',
      ...compared,
      small: (turn) => quiet.user.ask(ofDevice, { deviceId: [pick(quiet.ids, turn)] }),
      large: (turn) => many.user.ask(ofDevice, { deviceId: [pick(many.ids, turn)] }),
    },
  ]
}
