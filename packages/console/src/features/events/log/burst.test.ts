import { expect, test } from 'vitest'
import { eventsOfRows, groupEvents, mayContinue } from './burst.ts'
import type { LoggedEvent } from './logged-event.ts'

/** Returns an event of a numbered device. `second` is the number of seconds after a fixed time. */
function event(second: number, device: number, more: Partial<LoggedEvent> = {}): LoggedEvent {
  return {
    id: String(1_000 + second),
    type: 'ATTRIBUTE_CHANGE',
    timestamp: new Date(Date.UTC(2026, 0, 1) + second * 1_000).toISOString(),
    state: null,
    data: { changes: { site: { old: null, new: 'oslo' } } },
    actor: null,
    source: { kind: 'device', id: `d${device}`, name: null },
    target: [{ kind: 'device', id: `d${device}`, name: `device ${device}` }],
    ...more,
  }
}

const newestFirst = (events: LoggedEvent[]): LoggedEvent[] => events.toReversed()
const sizes = (events: readonly LoggedEvent[]): number[] => groupEvents(events).map((group) => group.events.length)

test('groups similar events of different devices, even with other events between them', () => {
  const other = event(3, 9, { type: 'DEVICE_STATE', state: 'active' })
  const events = newestFirst([event(0, 1), event(2, 2), other, event(4, 1), event(5, 3)])
  const groups = groupEvents(events)
  expect(groups.map((group) => group.events.map(({ id }) => id))).toEqual([['1005', '1004', '1002', '1000'], ['1003']])
  expect(groups[0]?.id).toBe('1000')
})

test('shows two similar events one by one, in the order of the list', () => {
  expect(groupEvents(newestFirst([event(0, 1), event(1, 2)])).map(({ id }) => id)).toEqual(['1001', '1000'])
})

test('groups neither events of different types, states, contexts, actors, keys, or jobs, nor account events', () => {
  const key = (id: string) => ({ source: { kind: 'accessKey', id, name: id } })
  const job = (id: string) => ({ source: { kind: 'job', id, name: id } })
  const different: Partial<LoggedEvent>[] = [
    {},
    { type: 'DEVICE_STATE', state: 'active' },
    { type: 'DEVICE_STATE', state: 'inactive' },
    { data: { context: 'night', changes: {} } },
    { actor: { id: 'a', email: 'a@example.com' } },
    key('one'),
    key('two'),
    job('one'),
    job('undo of one'),
  ]
  const events = different.flatMap((more, index) => [event(index * 2, 1, more), event(index * 2 + 1, 2, more)])
  expect(sizes(newestFirst(events))).toEqual(events.map(() => 1))
  const account = { target: [{ kind: 'user', id: 'u', name: 'u' }], type: 'AUTH_LOGIN' } as const
  expect(
    sizes(newestFirst([0, 1, 2, 3].map((second) => event(second, 1, { ...account, target: [...account.target] })))),
  ).toEqual([1, 1, 1, 1])
})

test('ends a burst after a minute without a similar event, and after ten minutes in total', () => {
  expect(sizes(newestFirst([0, 1, 2, 63, 64, 65].map((second) => event(second, second))))).toEqual([3, 3])
  const steady = Array.from({ length: 25 }, (_, index) => event(index * 50, index))
  expect(sizes(newestFirst(steady))).toEqual([12, 13])
})

test('keeps the groups of older events when newer events arrive', () => {
  const events = [0, 1, 2, 90, 91, 92].map((second) => event(second, second))
  const before = groupEvents(newestFirst(events)).map(({ id }) => id)
  const after = groupEvents(newestFirst([...events, event(93, 1), event(200, 2)])).map(({ id }) => id)
  expect(after).toEqual(['1200', ...before])
})

test('cuts a page after a number of rows, and reports which groups may continue', () => {
  const apart = Array.from({ length: 10 }, (_, index) => event(index * 100, index))
  const burst = [1_000, 1_001, 1_002, 1_003].map((second) => event(second, second))
  const events = newestFirst([...apart, ...burst])
  const kept = eventsOfRows(events, 4)
  expect(sizes(kept)).toEqual([4, 1, 1, 1])
  expect(kept).toEqual(events.slice(0, 7))
  const cut = events.slice(0, 3)
  expect(mayContinue(groupEvents(cut)[0]!, cut)).toBe(true)
  expect(mayContinue(groupEvents(kept)[0]!, kept)).toBe(false)
})
