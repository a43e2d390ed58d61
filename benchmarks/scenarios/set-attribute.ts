import type { Contestant } from '../environment/systems.ts'
import type { Fleet } from '../environment/fleet.ts'
import { delayFlushes } from '../environment/flush-delay.ts'
import { graphql, type Operation } from '../run/operation.ts'
import type { Contender } from '../run/rounds.ts'
import { loadScenario } from './load-scenario.ts'
import { startWatching } from './check-writes.ts'

const CLIENTS = 64

interface Write {
  deviceId: string
  name: string
  value: string
}

const document = `mutation ($deviceId: String!, $name: String!, $value: String) {
  setAttribute(serviceId: $deviceId, name: $name, value: $value)
}`

const documentOfPostgraphile = `mutation ($accountId: String!, $deviceId: String!, $name: String!, $value: String!) {
  setAttribute: postgraphileSetAttribute(input: { accountId: $accountId, deviceId: $deviceId, name: $name, value: $value }) { result }
}`

type Operate = (write: Write, fleet: Fleet) => Operation

const ways: Partial<Record<Contestant, { operate: Operate; read: Contender['read'] }>> = {
  server: { operate: (write) => graphql('server', document, write), read: ({ data }) => data.setAttribute },
  floor: { operate: (write) => ({ path: '/set-attribute', body: write }), read: ({ data }) => data.setAttribute },
  postgraphile: {
    operate: (write, { accountId }) => graphql('postgraphile', documentOfPostgraphile, { accountId, ...write }),
    read: ({ data }) => data.setAttribute.result,
  },
  apollo: { operate: (write) => graphql('apollo', document, write), read: ({ data }) => data.setAttribute },
}

/** What a client writes to. */
type Place = (fleet: Fleet, client: number) => Omit<Write, 'value'>

/** Each client writes two values in turn, neither of which any run wrote before: each request is a change. */
function writer(name: string, contestant: Contestant, place: Place): Contender {
  const { operate, read } = ways[contestant]!
  return {
    name,
    contestant,
    read,
    operations: (fleet, { connection, run }) =>
      ['a', 'b'].map((turn) => operate({ ...place(fleet, connection), value: `${run} ${turn}` }, fleet)),
    watch: startWatching,
  }
}

export const onOwnDevice: Place = ({ deviceIds }, client) => ({ deviceId: deviceIds[client]!, name: 'load' })
const onOneDevice: Place = ({ deviceIds }, client) => ({ deviceId: deviceIds[0]!, name: `load ${client}` })

export const writers = (place: Place): Contender[] => [
  writer('Muster', 'server', place),
  writer('the same statement by hand', 'floor', place),
  writer('PostGraphile', 'postgraphile', place),
  writer('Apollo', 'apollo', place),
]

export const setAttribute = loadScenario({
  name: 'set-attribute',
  title: `\`setAttribute\`, ${CLIENTS} clients, different devices, durable, with its event`,
  connections: CLIENTS,
  contenders: writers(onOwnDevice),
  comparisons: [
    { name: 'against the same statement by hand', of: 'Muster', with: 'the same statement by hand', least: 0.8 },
    { name: "against PostGraphile's mutation", of: 'Muster', with: 'PostGraphile', least: 1.3 },
    { name: 'against Apollo', of: 'Muster', with: 'Apollo' },
  ],
})

export const setOnOneDevice = loadScenario({
  name: 'one-device',
  title: `\`setAttribute\`, ${CLIENTS} clients, one device; no lost value, no deadlock`,
  connections: CLIENTS,
  contenders: writers(onOneDevice),
  comparisons: [
    { name: 'against the same statement by hand', of: 'Muster', with: 'the same statement by hand' },
    { name: "against PostGraphile's mutation", of: 'Muster', with: 'PostGraphile', least: 1 },
    { name: 'against Apollo', of: 'Muster', with: 'Apollo' },
  ],
})

const MILLISECONDS = 2
const fast = 'Muster, the disk as it is'
const slow = `Muster, each flush ${MILLISECONDS} ms later`

export const setOnSlowDisk = loadScenario({
  name: 'slow-disk',
  title: `\`setAttribute\`, ${CLIENTS} clients, different devices, each flush of the log made ${MILLISECONDS} ms slow`,
  connections: CLIENTS,
  contenders: [writer(fast, 'server', onOwnDevice), writer(slow, 'server', onOwnDevice)],
  comparisons: [{ name: 'against the fast disk', of: slow, with: fast, least: 0.7 }],
  before: (stage, { name }) => delayFlushes(stage, name.startsWith(slow) ? MILLISECONDS : 0),
  after: (stage) => delayFlushes(stage, 0),
})
