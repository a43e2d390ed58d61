import fastify, { type FastifyBaseLogger } from 'fastify'
import { pino } from 'pino'
import { expect, test, vi } from 'vitest'
import { logShedding } from './shedding-log.ts'

function openLog() {
  const lines: object[] = []
  const loggerInstance: FastifyBaseLogger = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const app = fastify({ loggerInstance })
  return { lines, log: logShedding(app), close: () => app.close() }
}

test('logs when load shedding begins, and when it ends after 10 s without rejections', () => {
  // The fake timers are safe, because no other code runs before the real timers are restored.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const { lines, log } = openLog()
    const began = { level: 40, reason: 'requests' }
    for (const reason of ['requests', 'lag', 'requests'] as const) log(reason)
    vi.advanceTimersByTime(9_999)
    log('requests')
    vi.advanceTimersByTime(9_999)
    expect(lines).toMatchObject([began])
    vi.advanceTimersByTime(1)
    const over = { level: 30, rejected: { requests: 3, lag: 1 } }
    expect(lines).toMatchObject([began, over])

    log('lag')
    vi.advanceTimersByTime(10_000)
    const next = [
      { level: 40, reason: 'lag' },
      { level: 30, rejected: { requests: 0, lag: 1 } },
    ]
    expect(lines).toMatchObject([began, over, ...next])
  } finally {
    vi.useRealTimers()
  }
})

test('logs the number of rejected requests when the server stops', async () => {
  const { lines, log, close } = openLog()
  log('lag')
  await close()
  expect(lines).toMatchObject([{ level: 40 }, { level: 30, rejected: { requests: 0, lag: 1 } }])
})
