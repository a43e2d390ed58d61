export interface Operation {
  name: string
  share: number
  document: string
  variables: (device: string) => Record<string, unknown>
}

const SITES = ['oslo', 'lisbon', 'quito', 'hanoi', 'perth']
const site = (): string => SITES[Math.floor(Math.random() * SITES.length)]!
const number = (): string => String(Math.floor(Math.random() * 1_000_000))

/** The operations of the load. One fifth are mutations with changing values, and the rest are typical queries. */
export const mix: readonly Operation[] = [
  { name: 'login', share: 25, document: '{ login { email } }', variables: () => ({}) },
  {
    name: 'one device',
    share: 25,
    document:
      'query ($id: [String!]!) { login { device(id: $id) { id name state attributes services { id name state } } } }',
    variables: (device) => ({ id: [device] }),
  },
  {
    name: 'page of devices',
    share: 15,
    document: 'query ($from: Int!) { login { devices(size: 50, from: $from) { items { id name state platform } } } }',
    variables: () => ({ from: 1 + Math.floor(Math.random() * 20) * 50 }),
  },
  {
    name: 'services',
    share: 5,
    document: '{ login { devices(size: 20) { items { id services { id name state } } } } }',
    variables: () => ({}),
  },
  {
    name: 'events',
    share: 10,
    document: 'query ($id: [String!]) { login { events(size: 20, deviceId: $id) { items { id type timestamp } } } }',
    variables: (device) => ({ id: [device] }),
  },
  {
    name: 'set attribute',
    share: 15,
    document: 'mutation ($id: String!, $value: String) { setAttribute(serviceId: $id, name: "soak", value: $value) }',
    variables: (device) => ({ id: device, value: number() }),
  },
  {
    name: 'set attributes in a context',
    share: 5,
    document:
      'mutation ($id: String!, $to: Object!) { setAttributes(serviceId: $id, attributes: $to, context: "night") }',
    variables: (device) => ({ id: device, to: { site: site(), counter: number() } }),
  },
]

/** Returns a sequence of a hundred operations in which each operation is spread evenly. */
export function spread(operations: readonly Operation[] = mix): Operation[] {
  const placed = operations.flatMap((operation) =>
    Array.from({ length: operation.share }, (_, index) => ({ operation, at: (index + 0.5) / operation.share })),
  )
  return placed.sort((one, other) => one.at - other.at).map(({ operation }) => operation)
}
