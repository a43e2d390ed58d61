import fastify, { type FastifyBaseLogger } from 'fastify'
import { pino } from 'pino'
import { expect, test, vi } from 'vitest'
import { tellShedding } from './tell-shedding.ts'

function openTeller() {
  const said: object[] = []
  const loggerInstance: FastifyBaseLogger = pino({}, { write: (line: string) => void said.push(JSON.parse(line)) })
  const app = fastify({ loggerInstance })
  return { said, tell: tellShedding(app), close: () => app.close() }
}

test('it is told once that requests are turned away, and once that none has been for 10 s', () => {
  // Nothing else runs before they are real again.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const { said, tell } = openTeller()
    const begun = { level: 40, reason: 'requests' }
    for (const reason of ['requests', 'lag', 'requests'] as const) tell(reason)
    vi.advanceTimersByTime(9_999)
    tell('requests')
    vi.advanceTimersByTime(9_999)
    expect(said).toMatchObject([begun])
    vi.advanceTimersByTime(1)
    const over = { level: 30, turnedAway: { requests: 3, lag: 1 } }
    expect(said).toMatchObject([begun, over])

    tell('lag')
    vi.advanceTimersByTime(10_000)
    const next = [
      { level: 40, reason: 'lag' },
      { level: 30, turnedAway: { requests: 0, lag: 1 } },
    ]
    expect(said).toMatchObject([begun, over, ...next])
  } finally {
    vi.useRealTimers()
  }
})

test('a server that stops tells how many it turned away', async () => {
  const { said, tell, close } = openTeller()
  tell('lag')
  await close()
  expect(said).toMatchObject([{ level: 40 }, { level: 30, turnedAway: { requests: 0, lag: 1 } }])
})
