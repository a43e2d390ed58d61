import type { Fleet } from '../environment/fleet.ts'
import { delayFlushes } from '../environment/flush-delay.ts'
import type { System } from '../environment/systems.ts'
import { graphql, type Operation } from '../run/operation.ts'
import type { Workload } from '../run/rounds.ts'
import { startWriteCheck } from './check-writes.ts'
import { loadScenario } from './throughput-scenario.ts'

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

const operations: Partial<Record<System, { operate: Operate; read: Workload['read'] }>> = {
  server: { operate: (write) => graphql('server', document, write), read: ({ data }) => data.setAttribute },
  baseline: { operate: (write) => ({ path: '/set-attribute', body: write }), read: ({ data }) => data.setAttribute },
  postgraphile: {
    operate: (write, { accountId }) => graphql('postgraphile', documentOfPostgraphile, { accountId, ...write }),
    read: ({ data }) => data.setAttribute.result,
  },
  apollo: { operate: (write) => graphql('apollo', document, write), read: ({ data }) => data.setAttribute },
}

type ChooseTarget = (fleet: Fleet, client: number) => Omit<Write, 'value'>

/** Each client alternates between two values that no earlier run wrote, so each request changes the value. */
function writer(name: string, system: System, chooseTarget: ChooseTarget): Workload {
  const { operate, read } = operations[system]!
  return {
    name,
    system,
    read,
    operations: (fleet, { connection, run }) =>
      ['a', 'b'].map((value) => operate({ ...chooseTarget(fleet, connection), value: `${run} ${value}` }, fleet)),
    startCheck: startWriteCheck,
  }
}

export const ownDevice: ChooseTarget = ({ deviceIds }, client) => ({ deviceId: deviceIds[client]!, name: 'load' })
const sharedDevice: ChooseTarget = ({ deviceIds }, client) => ({ deviceId: deviceIds[0]!, name: `load ${client}` })

export const writers = (chooseTarget: ChooseTarget): Workload[] => [
  writer('Muster', 'server', chooseTarget),
  writer('the same SQL in handwritten code', 'baseline', chooseTarget),
  writer('PostGraphile', 'postgraphile', chooseTarget),
  writer('Apollo', 'apollo', chooseTarget),
]

export const setAttribute = loadScenario({
  name: 'set-attribute',
  title: `\`setAttribute\`, ${CLIENTS} clients, different devices, durable, with an event`,
  connections: CLIENTS,
  workloads: writers(ownDevice),
  comparisons: [
    {
      name: 'against the same SQL in handwritten code',
      of: 'Muster',
      with: 'the same SQL in handwritten code',
      min: 0.8,
    },
    { name: "against PostGraphile's mutation", of: 'Muster', with: 'PostGraphile', min: 1.3 },
    { name: 'against Apollo', of: 'Muster', with: 'Apollo' },
  ],
})

export const setOnOneDevice = loadScenario({
  name: 'one-device',
  title: `\`setAttribute\`, ${CLIENTS} clients, one device, no lost updates, no deadlocks`,
  connections: CLIENTS,
  workloads: writers(sharedDevice),
  comparisons: [
    { name: 'against the same SQL in handwritten code', of: 'Muster', with: 'the same SQL in handwritten code' },
    { name: "against PostGraphile's mutation", of: 'Muster', with: 'PostGraphile', min: 1 },
    { name: 'against Apollo', of: 'Muster', with: 'Apollo' },
  ],
})

const DELAY_MS = 2
const fast = 'Muster, without a delay'
const slow = `Muster, with a delay of ${DELAY_MS} ms`

export const setOnSlowDisk = loadScenario({
  name: 'slow-disk',
  title: `\`setAttribute\`, ${CLIENTS} clients, different devices, log flushes delayed by ${DELAY_MS} ms`,
  connections: CLIENTS,
  workloads: [writer(fast, 'server', ownDevice), writer(slow, 'server', ownDevice)],
  comparisons: [{ name: 'against no delay', of: slow, with: fast, min: 0.7 }],
  before: (environment, { name }) => delayFlushes(environment, name.startsWith(slow) ? DELAY_MS : 0),
  after: (environment) => delayFlushes(environment, 0),
})
