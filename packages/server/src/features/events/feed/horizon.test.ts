import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createHorizon } from './horizon.ts'

/**
 * A model of database transactions. Transaction IDs and event IDs are assigned in order. Transactions end in any order.
 */
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
    /** Reads the parts one after another. Between the reads, transactions can begin and be assigned event IDs. */
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

const step = fc.oneof(
  fc.record({ kind: fc.constantFrom('begin', 'look' as const) }),
  fc.record({ kind: fc.constantFrom('draw', 'end' as const), which: fc.nat(20) }),
)

describe('the highest settled event ID', () => {
  it('is below the event IDs of running transactions, and is the last event ID when no transaction is running', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
        const model = createModel()
        const horizon = createHorizon()
        let settled: bigint | undefined
        const look = (between = () => {}): void => {
          const next = horizon.add(model.look(between), 0)
          expect(next ?? -1n).toBeGreaterThanOrEqual(settled ?? -1n)
          settled = next
          const lowest = model.lowestOutstanding()
          if (settled !== undefined && lowest !== undefined) expect(settled).toBeLessThan(lowest)
        }
        steps.forEach((each, index) => {
          if (each.kind === 'begin') model.begin()
          else if (each.kind === 'look') look(() => (index % 2 === 0 ? model.draw(index) : model.begin()))
          else if ('which' in each) model[each.kind as 'draw' | 'end'](each.which)
        })
        model.endAll()
        look()
        look()
        expect(settled).toBe(model.last())
        expect(horizon.unsettledSince()).toBeUndefined()
      }),
      { numRuns: 1_000 },
    )
  })
})
