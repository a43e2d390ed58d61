import { describe, expect, it } from 'vitest'
import { readConfig } from '../../../config.ts'
import type { OutboundResult } from '../../../outbound/outbound-post.ts'
import { evaluate } from './retry-policy.ts'

const { webhookRetries: schedule } = readConfig({})
const now = new Date('2026-01-01T00:00:00Z')
const result = (status: number, retryAfter?: string): OutboundResult => ({ status, retryAfter, body: '', duration: 1 })
const of = (given: OutboundResult, tries = 0, random = () => 0.5) => evaluate(given, { tries, schedule, now, random })

describe('the outcome of a delivery attempt', () => {
  it.each([200, 201, 204, 299])('is a success for status %i', (status) => {
    expect(of(result(status))).toMatchObject({ status: 'delivered', delay: null, error: null })
  })

  it.each([199, 300, 301, 307, 400, 404, 409, 429, 500, 503])('is a retry for status %i', (status) => {
    expect(of(result(status))).toMatchObject({ status: 'pending', delay: 5, isGone: false })
  })

  it('is a final failure for status 410', () => {
    expect(of(result(410))).toMatchObject({ status: 'failed', delay: null, isGone: true })
  })

  it('is a retry for status 410 from a receiver that has been replaced', () => {
    const evaluation = evaluate(result(410), { tries: 0, schedule, now, random: () => 0.5, isReplaced: true })
    expect(evaluation).toMatchObject({ status: 'pending', delay: 5, isGone: false })
  })

  it('is a retry after 5 s, 30 s, 2 min, and up to 24 h, and then a final failure', () => {
    const delays = Array.from({ length: 14 }, (_, tries) => of(result(500), tries).delay)
    const [hour, day] = [3_600, 86_400]
    expect(delays.slice(0, 5)).toEqual([5, 30, 120, 600, 1_800])
    expect(delays.slice(5)).toEqual(
      [1, 3, 6, 10, 14, 18].map((hours) => hours * hour).concat([day, day], null as never),
    )
    expect(of(result(500), 13)).toMatchObject({ status: 'failed', delay: null })
  })

  it('varies each delay by up to 20%', () => {
    expect(of(result(500), 3, () => 0).delay).toBe(480)
    expect(of(result(500), 3, () => 1).delay).toBeCloseTo(720)
  })

  it.each([
    ['60', 60],
    ['1', 5],
    ['86400', 86_400],
    ['999999', 86_400],
    ['Thu, 01 Jan 2026 01:00:00 GMT', 3_600],
    ['Thu, 01 Jan 2015 00:00:00 GMT', 5],
    ['soon', 5],
    ['-1', 5],
  ])('with Retry-After: %s is a retry after %i seconds', (retryAfter, seconds) => {
    expect(of(result(503, retryAfter)).delay).toBe(seconds)
  })

  it('is a retry if there is no response', () => {
    expect(of({ status: null, error: 'the connection was refused', duration: 1 })).toMatchObject({
      status: 'pending',
      error: 'the connection was refused',
    })
  })
})
