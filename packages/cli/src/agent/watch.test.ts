import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { pause } from './watch.ts'

const DAY_MS = 86_400_000

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], fakeNodeBuiltins: true }))
afterEach(() => void vi.useRealTimers())

test('waits 30 days, which is longer than a Node.js timer can run', async () => {
  const ended = vi.fn()
  const waiting = pause(30 * DAY_MS, new AbortController().signal).finally(ended)
  await vi.advanceTimersByTimeAsync(30 * DAY_MS - 1)
  expect(ended).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(1)
  expect(await waiting).toBe(true)
})

test('stops waiting when the signal aborts', async () => {
  const stopping = new AbortController()
  const waiting = pause(30 * DAY_MS, stopping.signal)
  await vi.advanceTimersByTimeAsync(25 * DAY_MS)
  stopping.abort()
  expect(await waiting).toBe(false)
})
