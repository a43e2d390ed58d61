import fastify, { type FastifyBaseLogger } from 'fastify'
import { pino } from 'pino'
import { expect, test, vi } from 'vitest'
import { logShedding } from './shedding-log.ts'

function openLog() {
  const said: object[] = []
  const loggerInstance: FastifyBaseLogger = pino({}, { write: (line: string) => void said.push(JSON.parse(line)) })
  const app = fastify({ loggerInstance })
  return { said, log: logShedding(app), close: () => app.close() }
}

test('logs when load shedding begins, and when no request has been rejected for 10 s', () => {
  // Nothing else runs before they are real again.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const { said, log } = openLog()
    const begun = { level: 40, reason: 'requests' }
    for (const reason of ['requests', 'lag', 'requests'] as const) log(reason)
    vi.advanceTimersByTime(9_999)
    log('requests')
    vi.advanceTimersByTime(9_999)
    expect(said).toMatchObject([begun])
    vi.advanceTimersByTime(1)
    const over = { level: 30, rejected: { requests: 3, lag: 1 } }
    expect(said).toMatchObject([begun, over])

    log('lag')
    vi.advanceTimersByTime(10_000)
    const next = [
      { level: 40, reason: 'lag' },
      { level: 30, rejected: { requests: 0, lag: 1 } },
    ]
    expect(said).toMatchObject([begun, over, ...next])
  } finally {
    vi.useRealTimers()
  }
})

test('logs the number of rejected requests when the server stops', async () => {
  const { said, log, close } = openLog()
  log('lag')
  await close()
  expect(said).toMatchObject([{ level: 40 }, { level: 30, rejected: { requests: 0, lag: 1 } }])
})
