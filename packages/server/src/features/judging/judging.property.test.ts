import { checkFilter } from '@muster/filter'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { eventsOf, openTestStream, until } from '../../../test/clients/event-stream.ts'
import { deviceFilter } from '../../../test/filters/arbitraries.ts'
import { type ModelDevice, matches } from '../../../test/filters/model.ts'
import { readModel } from '../../../test/filters/read-model.ts'
import { sharedTestApp, type TestUser } from '../../../test/harness/app.ts'
import { type JudgedEvent, judgeEvents } from './judge.ts'

const HISTORIES = 4
/** The number of filters to test for each history. MUSTER_TEST_FILTERS sets the number for all histories together. */
const FILTERS = Math.ceil(Number(process.env.MUSTER_TEST_FILTERS ?? 600) / HISTORIES)
const CHANGES = 25

const app = sharedTestApp()

const value = fc.constantFrom('oslo', 'Oslo', 'os', 'bergen', '-5', '10', '2026-11-20', '', null)
const name = fc.constantFrom('site', 'load', 'seen', 'rack row', 'net.ssid', 'ratio', '$svc.statusA')
const context = fc.constantFrom(null, null, 'night', 'day')
const state = fc.constantFrom('active', 'inactive')

type Change = { document: string; variables: Record<string, unknown>; of: 'device' | 'service' | 'none'; index: number }

const change: fc.Arbitrary<Change> = fc
  .record({
    value,
    name,
    context,
    state,
    index: fc.nat(2),
    of: fc.constantFrom('device' as const, 'service' as const),
    kind: fc.nat(99),
  })
  .map(({ kind, of, index, ...random }): Change => {
    // An attribute can be an empty string, but a platform or host cannot.
    const variables = { ...random, value: kind < 50 ? random.value : random.value || null }
    const at = (document: string, on: Change['of'] = of): Change => ({ document, variables, of: on, index })
    if (kind < 50) {
      const onService = variables.name.startsWith('$svc') ? 'device' : of
      return at(
        '($id: String!, $name: String!, $value: String, $context: String) { setAttribute(serviceId: $id, name: $name, value: $value, context: $context) }',
        onService,
      )
    }
    if (kind < 60)
      return at('($id: String!, $value: String) { updateDevice(deviceId: $id, platform: $value) { id } }', 'device')
    if (kind < 65)
      return at('($id: String!, $state: String!) { updateDevice(deviceId: $id, name: $state) { id } }', 'device')
    if (kind < 80) return at('($id: String!, $state: String!) { reportState(serviceId: $id, state: $state) }')
    if (kind < 88)
      return at(
        '($id: String!, $value: String) { addService(deviceId: $id, name: "web", host: $value, port: 80) { id } }',
        'device',
      )
    if (kind < 94)
      return at('($id: ID!, $state: String!) { updateService(id: $id, name: $state, port: null) { id } }', 'service')
    return at('($id: ID!) { removeService(id: $id) }', 'service')
  })

const readsReports = (where: string): boolean => /lastReported/.test(where)

const timeFilter = (steps: readonly Step[]): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.constantFrom('', 'NOT '),
      fc.constantFrom('site', 'load', 'net.ssid', '"rack row"', '$svc.statusA'),
      fc.constantFrom('<', '<=', '=', '>'),
      fc.constantFrom(...steps.map(({ timestamp }) => timestamp.toISOString())),
    )
    .map(([not, of, operator, at]) => `${not}changed(${of}) ${operator} ${at}`)

interface Step extends JudgedEvent {
  states: [before: ModelDevice | undefined, after: ModelDevice | undefined]
}

const register = `mutation ($services: [ServiceInput!]) {
  registerDevice(name: "a", hardwareId: "HW-a", services: $services, attributes: { site: "oslo" }) { device { id } } }`
const services = [
  { name: 'ssh', port: 22 },
  { name: 'SSH 2', port: 8443, host: 'os' },
]

/** Registers, changes, and deletes a device. Returns its events, each with the device before and after the event. */
async function record(user: TestUser, changes: readonly Change[]): Promise<Step[]> {
  const steps: Step[] = []
  let last = '0'
  let before: ModelDevice | undefined
  const note = async (): Promise<void> => {
    const after = await readModel(app.db, user.accountId, id)
    const events = await app.db
      .selectFrom('event')
      .select(['id', 'type', 'timestamp', 'device_id as deviceId', 'targets'])
      .where('account_id', '=', user.accountId)
      .where('device_id', '=', id)
      .where('id', '>', last)
      .orderBy('id')
      .execute()
    const states = statesBetween(before, after, events)
    before = after
    for (const [index, event] of events.entries()) steps.push({ ...(event as JudgedEvent), states: states[index]! })
    last = events.at(-1)?.id ?? last
  }
  const id: string = (await user.data(register, { services })).registerDevice.device.id
  await note()
  for (const { document, variables, of, index } of changes) {
    const target = of === 'device' ? id : before!.services[index]?.id
    if (target === undefined) continue
    const names = [...document.matchAll(/\$(\w+):/g)].map(([, each]) => each!)
    await user.data(
      `mutation ${document}`,
      Object.fromEntries(
        names.map((each) => [each, each === 'id' ? target : variables[each as keyof typeof variables]]),
      ),
    )
    await note()
  }
  await user.data(`mutation { deleteDevice(deviceId: "${id}", force: true) }`)
  await note()
  return steps
}

/**
 * Returns the device before and after each event of one change. Only a change between active and inactive can record
 * several events. Each of these events names the device or service whose state changed.
 */
function statesBetween(
  before: ModelDevice | undefined,
  after: ModelDevice | undefined,
  events: readonly { type: string; targets: unknown }[],
): Step['states'][] {
  let current = before
  return events.map(({ type, targets }, index) => {
    const former = current
    const [target] = targets as { id: string }[]
    current = index === events.length - 1 ? after : withStateOf(former!, after!, { type, id: target!.id })
    return [former, current]
  })
}

function withStateOf(device: ModelDevice, after: ModelDevice, { type, id }: { type: string; id: string }): ModelDevice {
  if (type === 'DEVICE_STATE') return { ...device, state: after.state, lastReported: after.lastReported }
  const services = device.services.map((each) => (each.id === id ? after.services.find((one) => one.id === id)! : each))
  return { ...device, services }
}

test('agrees with a simple model for random events and filters, including deleted devices', async () => {
  let compared = 0
  const samples = fc.sample(fc.array(change, { minLength: CHANGES, maxLength: CHANGES }), HISTORIES)
  for (const changes of samples) {
    const user = await app.createUser()
    const steps = await record(user, changes)
    expect(steps.length).toBeGreaterThan(2)
    const filters = fc.oneof({ arbitrary: deviceFilter, weight: 4 }, { arbitrary: timeFilter(steps), weight: 1 })
    for (const [where, isInContext] of fc.sample(fc.tuple(filters, fc.boolean()), FILTERS)) {
      const { filter, isValid } = checkFilter(where)
      // Skip filters on reports: a report without a state change creates no event, so earlier reports are unknown
      // (docs/decisions/0020).
      if (!isValid || filter === null || readsReports(where)) continue
      compared++
      const inContext = isInContext ? 'night' : undefined
      const expected = steps.filter(({ states, timestamp }) =>
        states.some(
          (device) => device !== undefined && matches(filter, device, { context: inContext, now: timestamp.getTime() }),
        ),
      )
      const found = await judgeEvents(app.db, user.accountId, {
        selection: { filter, context: inContext },
        events: steps,
      })
      expect(
        steps.filter(({ id }) => found.has(id)).map(({ id, type }) => `${id} ${type}`),
        where,
      ).toEqual(expected.map(({ id, type }) => `${id} ${type}`))
      // Judging a single event must give the same result. The server then reads the later events from the log.
      const [one] = fc.sample(fc.constantFrom(...steps), 1)
      const alone = await judgeEvents(app.db, user.accountId, {
        selection: { filter, context: inContext },
        events: [one!],
      })
      expect(alone.has(one!.id), where).toBe(found.has(one!.id))
    }
    await compareStream(user, steps)
  }
  expect(compared).toBeGreaterThan((HISTORIES * FILTERS) / 3)
})

/**
 * Checks that a stream delivers exactly the matching events after the first event, up to the registration of another
 * device.
 */
async function compareStream(user: TestUser, steps: readonly Step[]): Promise<void> {
  const [where] = fc.sample(
    deviceFilter.filter((text) => checkFilter(text).isValid && !readsReports(text)),
    1,
  )
  const { filter, canonical } = checkFilter(where!)
  const first = steps[0]!.id
  await user.data('mutation { registerDevice(name: "end") { secret } }')
  const stream = await openTestStream({
    app,
    user,
    query: 'subscription ($after: ID, $where: String) { events(after: $after, where: $where) { id target { name } } }',
    variables: { after: first, where: `(${canonical}) OR name = end` },
  })
  const isEnd = (event: Record<string, unknown>): boolean => (event.target as { name: string }[])[0]?.name === 'end'
  await until(() => eventsOf(stream).some(isEnd) || stream.messages.some(({ data }) => data?.errors))
  const expected = steps
    .slice(1)
    .filter(({ states, timestamp }) =>
      states.some(
        (device) => device !== undefined && matches(filter, device, { context: undefined, now: timestamp.getTime() }),
      ),
    )
  expect(
    eventsOf(stream)
      .filter((event) => !isEnd(event))
      .map(({ id }) => id),
    where,
  ).toEqual(expected.map(({ id }) => id))
}
