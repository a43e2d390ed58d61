import { expect, test } from 'vitest'
import { extendRun, missingRuns } from './page-runs.ts'

const among = (...pages: number[]) => pages.includes.bind(pages)

test('joins adjacent missing pages into one run', () => {
  expect(missingRuns(2, 8, among(4, 7))).toEqual([
    { first: 2, count: 2 },
    { first: 5, count: 2 },
    { first: 8, count: 1 },
  ])
  expect(missingRuns(3, 3, among(3))).toEqual([])
})

test('extends a run away from the view, up to a loaded page, an end of the list, or the limit', () => {
  const extend = (first: number, isLoaded = among()) =>
    extendRun({ first, count: 1 }, { inView: { first: 10, last: 11 }, last: 20, max: 4, isLoaded })
  expect(extend(12)).toEqual({ first: 12, count: 4 })
  expect(extend(12, among(14))).toEqual({ first: 12, count: 2 })
  expect(extend(19)).toEqual({ first: 19, count: 2 })
  expect(extend(9)).toEqual({ first: 6, count: 4 })
  expect(extend(9, among(7))).toEqual({ first: 8, count: 2 })
  expect(extend(1)).toEqual({ first: 0, count: 2 })
})
