import { expect, test } from 'vitest'
import { missingRuns, widened } from './page-runs.ts'

const among = (...pages: number[]) => pages.includes.bind(pages)

test('pages that are missing beside each other are one run', () => {
  expect(missingRuns(2, 8, among(4, 7))).toEqual([
    { first: 2, count: 2 },
    { first: 5, count: 2 },
    { first: 8, count: 1 },
  ])
  expect(missingRuns(3, 3, among(3))).toEqual([])
})

test('a run grows away from what is in view, to what is there, the end and its bound', () => {
  const widen = (first: number, isThere = among()) =>
    widened({ first, count: 1 }, { inView: { first: 10, last: 11 }, last: 20, most: 4, isThere })
  expect(widen(12)).toEqual({ first: 12, count: 4 })
  expect(widen(12, among(14))).toEqual({ first: 12, count: 2 })
  expect(widen(19)).toEqual({ first: 19, count: 2 })
  expect(widen(9)).toEqual({ first: 6, count: 4 })
  expect(widen(9, among(7))).toEqual({ first: 8, count: 2 })
  expect(widen(1)).toEqual({ first: 0, count: 2 })
})
