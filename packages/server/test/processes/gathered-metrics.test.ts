import { pino } from 'pino'
import { expect, test } from 'vitest'
import { createMetrics, type Samples } from '../../src/metrics.ts'
import { gatherMetrics } from '../../src/processes/gathered-metrics.ts'
import type { ProcessChannel, ToProcess } from '../../src/processes/messages.ts'

/** Simulates three processes. The test determines which messages they send, and in which order. */
function gather() {
  const running = new Map<number, ProcessChannel>()
  let requestId = 0
  let measured = Promise.withResolvers<string>()
  const receive = (message: ToProcess): boolean => {
    if (message.kind === 'sample') requestId = message.requestId
    if (message.kind === 'measured') measured.resolve(message.text)
    return true
  }
  const start = (number: number): void => void running.set(number, { isConnected: () => true, send: receive })
  for (const number of [1, 2, 3]) start(number)
  const unresponsive = new Set<number>()
  const log = pino({ level: 'silent' })
  const gathered = gatherMetrics({ count: 3, running, isUnresponsive: (number) => unresponsive.has(number), log })
  return {
    start,
    unresponsive,
    respond: (number: number, samples: Samples) =>
      gathered.handleMessage(number, { kind: 'samples', requestId, samples }),
    end(number: number) {
      running.delete(number)
      gathered.ended(number)
    },
    /** Requests the metrics. `meanwhile` sends the responses of the processes. */
    async measure(meanwhile: () => void): Promise<{ rejections: number; missing: number }> {
      measured = Promise.withResolvers()
      gathered.handleMessage(3, { kind: 'measure', requestId: 1 })
      meanwhile()
      const text = await measured.promise
      const value = (name: string): number =>
        Number(
          text
            .split('\n')
            .find((line) => line.startsWith(name))
            ?.split(' ')
            .at(-1),
        )
      return { rejections: value('muster_mqtt_refusals_total{'), missing: value('muster_processes_missing ') }
    },
  }
}

async function samplesOf(rejections: number): Promise<Samples> {
  const metrics = createMetrics()
  const reject = metrics.counter('mqttRefusals')
  for (let each = 0; each < rejections; each++) reject('secret')
  return metrics.samples()
}

test.each([
  { when: 'before it responds', isUnresponsive: false, responds: false, rejections: 12, missing: 1 },
  { when: 'after it responds', isUnresponsive: false, responds: true, rejections: 13, missing: 0 },
  { when: 'while it is unresponsive', isUnresponsive: true, responds: false, rejections: 12, missing: 1 },
])(
  "counts a process's values once if the process ends $when",
  async ({ isUnresponsive, responds, rejections, missing }) => {
    const [none, five, six, seven] = await Promise.all([0, 5, 6, 7].map(samplesOf))
    const { start, unresponsive, respond, end, measure } = gather()
    const othersRespond = (): void => {
      respond(2, seven!)
      respond(3, none!)
    }
    const before = await measure(() => {
      respond(1, five!)
      othersRespond()
    })
    expect(before).toEqual({ rejections: 12, missing: 0 })

    if (isUnresponsive) unresponsive.add(1)
    const during = await measure(() => {
      if (responds) respond(1, six!)
      end(1)
      // The last message of a process may arrive after the process has ended.
      if (!responds) respond(1, six!)
      othersRespond()
    })
    expect(during).toEqual({ rejections, missing })

    unresponsive.clear()
    start(1)
    const after = await measure(() => {
      end(1)
      othersRespond()
    })
    expect(after).toEqual({ rejections, missing: 1 })
  },
)
