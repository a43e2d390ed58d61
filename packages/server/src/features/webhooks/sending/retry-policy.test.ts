import { describe, expect, it } from 'vitest'
import { readConfig } from '../../../config.ts'
import type { OutboundAnswer } from '../../../outbound/outbound.ts'
import { judge } from './retry-policy.ts'

const { webhookRetries: schedule } = readConfig({})
const now = new Date('2026-01-01T00:00:00Z')
const answer = (status: number, retryAfter?: string): OutboundAnswer => ({ status, retryAfter, body: '', duration: 1 })
const of = (given: OutboundAnswer, tries = 0, random = () => 0.5) => judge(given, { tries, schedule, now, random })

describe('what an answer means', () => {
  it.each([200, 201, 204, 299])('%i is success', (status) => {
    expect(of(answer(status))).toMatchObject({ status: 'delivered', delay: null, error: null })
  })

  it.each([199, 300, 301, 307, 400, 404, 409, 429, 500, 503])('%i is tried again', (status) => {
    expect(of(answer(status))).toMatchObject({ status: 'pending', delay: 5, isGone: false })
  })

  it('410 ends it all', () => {
    expect(of(answer(410))).toMatchObject({ status: 'failed', delay: null, isGone: true })
  })

  it('410 of a receiver that was replaced meanwhile is tried again', () => {
    const verdict = judge(answer(410), { tries: 0, schedule, now, random: () => 0.5, isFormer: true })
    expect(verdict).toMatchObject({ status: 'pending', delay: 5, isGone: false })
  })

  it('is tried again after 5 s, 30 s, 2 min … 24 h, 24 h, and then no more', () => {
    const delays = Array.from({ length: 14 }, (_, tries) => of(answer(500), tries).delay)
    const [hour, day] = [3_600, 86_400]
    expect(delays.slice(0, 5)).toEqual([5, 30, 120, 600, 1_800])
    expect(delays.slice(5)).toEqual(
      [1, 3, 6, 10, 14, 18].map((hours) => hours * hour).concat([day, day], null as never),
    )
    expect(of(answer(500), 13)).toMatchObject({ status: 'failed', delay: null })
  })

  it('each 20 % more or less', () => {
    expect(of(answer(500), 3, () => 0).delay).toBe(480)
    expect(of(answer(500), 3, () => 1).delay).toBeCloseTo(720)
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
  ])('Retry-After: %s waits %i seconds', (retryAfter, seconds) => {
    expect(of(answer(503, retryAfter)).delay).toBe(seconds)
  })

  it('no answer is tried again', () => {
    expect(of({ status: null, error: 'the connection was refused', duration: 1 })).toMatchObject({
      status: 'pending',
      error: 'the connection was refused',
    })
  })
})
