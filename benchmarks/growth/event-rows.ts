import type { Fleet } from './fleet.ts'
import { matching } from './fleets.ts'
import { LIMIT_MS } from './language-rows.ts'
import type { Row } from './measure-ratio.ts'

/** The number of events that are counted. */
const COUNTED = 1_000

/** Compares the log of the large fleet with a short log, whose devices have as many events each. */
export async function eventRows(shortLog: Fleet, longLog: Fleet): Promise<Row[]> {
  const row = (title: string, request: (fleet: Fleet) => Request, target: Target = { target: 1.5 }): Row => {
    const [small, large] = [request(shortLog), request(longLog)]
    return {
      ...{ title, smallName: 'short log', largeName: 'long log', ...target },
      small: (turn) => shortLog.user.query(small.document, small.variables?.(turn)),
      large: (turn) => longLog.user.query(large.document, large.variables?.(turn)),
    }
  }
  const deviceOf = ({ ids }: Fleet, turn: number): object => ({ deviceId: [ids[turn % ids.length]] })
  const starts = new Map([
    [shortLog, await startOfNewest(shortLog)],
    [longLog, await startOfNewest(longLog)],
  ])
  return [
    row('newest events', () => ({ document: page() })),
    row('newest events of a device', (fleet) => ({
      document: page('($deviceId: [String!])', ', deviceId: $deviceId'),
      variables: (turn) => deviceOf(fleet, turn),
    })),
    row('newest events of devices with an attribute', () => ({
      document: page('', `, where: "device.lot = ${matching.lot}"`),
    })),
    // No index contains only the time, so the server skips the older events of the month one by one.
    row(
      'counts of the newest events',
      (fleet) => ({ document: `{ login { eventCounts(minDate: "${starts.get(fleet)}") { from count } } }` }),
      { targetMs: { median: 2_000, longest: LIMIT_MS } },
    ),
    row('history of an attribute', (fleet) => ({
      document: `query ($deviceId: [String!]!) {
        login { device(id: $deviceId) { attributeHistory(name: "load", size: 100) { items { at old new } hasMore cursor } } }
      }`,
      variables: (turn) => deviceOf(fleet, turn),
    })),
  ]
}

type Target = Pick<Row, 'target' | 'targetMs'>

interface Request {
  document: string
  variables?: (turn: number) => object
}

const page = (parameters = '', filter = ''): string => `query ${parameters} {
  login { events(size: 100${filter}) { items { id type timestamp target { id name kind } data } } }
}`

/** Returns the time of the last of the newest `COUNTED` events, so that a query counts equally many in each log. */
async function startOfNewest({ user }: Fleet): Promise<string> {
  const response = await user.query(`{ login { events(size: ${COUNTED}) { items { timestamp } } } }`)
  return response.data().login.events.items.at(-1).timestamp
}
