import { describe, expect, it } from 'vitest'
import { createBudget } from './token-buckets.ts'

function start(policy = { name: 'key', capacity: 100, perSecond: 5 }) {
  const clock = { now: 0 }
  return { clock, budget: createBudget(policy, { now: () => clock.now, isReported: true }) }
}

describe('a budget of points', () => {
  it('takes all requested points, or returns the seconds until they are available', () => {
    const { clock, budget } = start()
    expect(budget.take('a', 100)).toBe(0)
    expect(budget.take('a', 1)).toBe(0.2)
    expect(budget.take('a', 20)).toBe(4)
    clock.now = 3_999
    expect(budget.take('a', 20)).toBeGreaterThan(0)
    expect(budget.left('a')).toBe(19)
    clock.now = 4_000
    expect(budget.take('a', 20)).toBe(0)
    expect(budget.left('a')).toBe(0)
  })

  it('refills each subject separately up to the capacity', () => {
    const { clock, budget } = start()
    expect(budget.take('a', 40)).toBe(0)
    clock.now = 3_600_000
    expect([budget.left('a'), budget.left('b')]).toEqual([100, 100])
    expect(budget.take('a', 101)).toBeGreaterThan(0)
    expect(budget.take('b', 100)).toBe(0)
    expect([budget.left('a'), budget.left('b')]).toEqual([100, 0])
  })

  it('keeps fractions of points even if it is read often', () => {
    const { clock, budget } = start({ name: 'key', capacity: 100, perSecond: 3 })
    expect(budget.take('a', 100)).toBe(0)
    for (let time = 1; time <= 10_000; time++) {
      clock.now = time
      budget.left('a')
    }
    expect(budget.take('a', 30)).toBe(0)
    expect(budget.take('a', 1)).toBeGreaterThan(0)
  })

  it('accepts returned points up to its capacity, and goes below zero for a negative number', () => {
    const { clock, budget } = start()
    budget.take('a', 50)
    budget.give('a', 20)
    expect(budget.left('a')).toBe(70)
    budget.give('a', 1_000)
    expect(budget.left('a')).toBe(100)
    budget.give('a', -150)
    expect(budget.left('a')).toBe(0)
    expect(budget.take('a', 1)).toBeCloseTo(51 / 5)
    clock.now = 10_200
    expect(budget.take('a', 1)).toBe(0)
  })

  it('subtracts the spending of other processes even if this process has already spent the points', () => {
    const { clock, budget } = start()
    budget.take('a', 100)
    budget.applyRemoteSpending('a', 100)
    clock.now = 20_000
    expect(budget.take('a', 1)).toBe(0.2)
    clock.now = 20_200
    expect(budget.take('a', 1)).toBe(0)
  })

  it('reports net spending once, for a limited number of subjects per call', () => {
    const { budget } = start()
    budget.take('a', 50)
    budget.give('a', 20)
    budget.take('b', 5)
    budget.give('b', 5)
    budget.take('c', 1)
    budget.applyRemoteSpending('d', 9)
    expect(budget.report(2)).toEqual([['a', 30]])
    expect(budget.report(2)).toEqual([['c', 1]])
    expect(budget.report(2)).toEqual([])
  })
})
