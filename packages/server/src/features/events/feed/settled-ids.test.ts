import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createSettledIds } from './settled-ids.ts'

function createModel() {
  let nextTransaction = 100n
  let last = 0n
  const running = new Map<bigint, bigint[]>()
  return {
    begin: () => void running.set(nextTransaction++, []),
    draw(which: number) {
      const numbers = [...running.values()][which % Math.max(running.size, 1)]
      if (numbers !== undefined) numbers.push(++last)
    },
    end: (which: number) => void running.delete([...running.keys()][which % Math.max(running.size, 1)] ?? 0n),
    endAll: () => running.clear(),
    /** Reads the values one after another. Between the reads, transactions can begin and be assigned event IDs. */
    look(between: () => void) {
      const ended = [...running.keys()].sort((a, b) => Number(a - b))[0] ?? nextTransaction
      between()
      const found = last
      between()
      return { last: found, nextTransaction, ended }
    },
    lowestOutstanding: () => [...running.values()].flat().sort((a, b) => Number(a - b))[0],
    last: () => last,
  }
}

/**
 * A model of a cluster with two workers. A transaction begins on the coordinator, is assigned an event ID, begins on a
 * worker, ends on the coordinator, and ends on the worker. The model takes one of these steps at a time.
 */
function createClusterModel() {
  const next = [100n, 500n, 900n]
  let last = 0n
  interface Running {
    worker: 1 | 2
    ids: (bigint | undefined)[]
    event?: bigint
  }
  const running: Running[] = []
  const begin = (worker: 1 | 2): void => void running.push({ worker, ids: [next[0]!++] })
  const advance = (transaction: Running): void => {
    const { ids, worker } = transaction
    if (transaction.event === undefined) transaction.event = ++last
    else if (ids[worker] === undefined) ids[worker] = next[worker]!++
    else if (ids[0] !== undefined) ids[0] = undefined
    else running.splice(running.indexOf(transaction), 1)
  }
  const idsOf = (node: number) => ({
    nextTransaction: next[node]!,
    ended: running.flatMap(({ ids }) => ids[node] ?? []).sort((a, b) => Number(a - b))[0] ?? next[node]!,
  })
  return {
    begin,
    advance: (which: number) => void (running.length > 0 && advance(running[which % running.length]!)),
    look(between: () => void) {
      const found = last
      between()
      const own = idsOf(0)
      between()
      const first = idsOf(1)
      between()
      return { last: found, ...own, nodes: new Map(Object.entries({ 1: first, 2: idsOf(2) })) }
    },
    endAll: () => {
      while (running.length > 0) advance(running[0]!)
    },
    lowestOutstanding: () => running.flatMap(({ event }) => event ?? []).sort((a, b) => Number(a - b))[0],
    last: () => last,
  }
}

type Model = ReturnType<typeof createModel> | ReturnType<typeof createClusterModel>

function watch(model: Model) {
  const settledIds = createSettledIds()
  let settled: bigint | undefined
  const look = (between = () => {}): void => {
    const next = settledIds.add(model.look(between), 0)
    expect(next ?? -1n).toBeGreaterThanOrEqual(settled ?? -1n)
    settled = next
    const lowest = model.lowestOutstanding()
    if (settled !== undefined && lowest !== undefined) expect(settled).toBeLessThan(lowest)
  }
  const endAll = (): void => {
    model.endAll()
    look()
    look()
    expect(settled).toBe(model.last())
    expect(settledIds.unsettledSince()).toBeUndefined()
  }
  return { look, endAll }
}

const step = fc.oneof(
  fc.record({ kind: fc.constantFrom('begin', 'look' as const) }),
  fc.record({ kind: fc.constantFrom('draw', 'end' as const), which: fc.nat(20) }),
)

describe('the highest settled event ID', () => {
  it('is below the event IDs of running transactions, and is the last event ID when no transaction is running', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
        const model = createModel()
        const { look, endAll } = watch(model)
        steps.forEach((each, index) => {
          if (each.kind === 'begin') model.begin()
          else if (each.kind === 'look') look(() => (index % 2 === 0 ? model.draw(index) : model.begin()))
          else if ('which' in each) model[each.kind as 'draw' | 'end'](each.which)
        })
        endAll()
      }),
      { numRuns: 1_000 },
    )
  })

  it('is below the event IDs of transactions that have ended only on some nodes of a cluster', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(40), { maxLength: 300 }), (steps) => {
        const model = createClusterModel()
        const { look, endAll } = watch(model)
        const take = (number: number): void => {
          if (number < 6) model.begin(number % 2 === 0 ? 1 : 2)
          else model.advance(number)
        }
        for (const number of steps) {
          if (number % 5 === 0) look(() => take(number / 5))
          else take(number)
        }
        endAll()
      }),
      { numRuns: 1_000 },
    )
  })
})
