import { pino } from 'pino'
import { expect, test } from 'vitest'
import { createMetrics, type Samples } from '../../src/metrics.ts'
import { gatherMetrics } from '../../src/processes/gathered-metrics.ts'
import type { ToProcess, Way } from '../../src/processes/messages.ts'

/** Three server processes without their ways: the test says what each of them tells, and when. */
function gather() {
  const running = new Map<number, Way>()
  let question = 0
  let measured = Promise.withResolvers<string>()
  const hear = (message: ToProcess): boolean => {
    if (message.kind === 'sample') question = message.question
    if (message.kind === 'measured') measured.resolve(message.text)
    return true
  }
  const begin = (number: number): void => void running.set(number, { isConnected: () => true, send: hear })
  for (const number of [1, 2, 3]) begin(number)
  const silent = new Set<number>()
  const log = pino({ level: 'silent' })
  const gathered = gatherMetrics({ count: 3, running, isSilent: (number) => silent.has(number), log })
  return {
    begin,
    silent,
    answer: (number: number, samples: Samples) => gathered.take(number, { kind: 'samples', question, samples }),
    end(number: number) {
      running.delete(number)
      gathered.ended(number)
    },
    /** What all of them counted, and how many were missing, when the third is asked and this is what happens meanwhile. */
    async measure(meanwhile: () => void): Promise<{ refusals: number; missing: number }> {
      measured = Promise.withResolvers()
      gathered.take(3, { kind: 'measure', question: 1 })
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
      return { refusals: value('muster_mqtt_refusals_total{'), missing: value('muster_processes_missing ') }
    },
  }
}

/** Of a process that counted so many refusals. */
async function counted(refusals: number): Promise<Samples> {
  const metrics = createMetrics()
  const refuse = metrics.counter('mqttRefusals')
  for (let each = 0; each < refusals; each++) refuse('secret')
  return metrics.samples()
}

test.each([
  { when: 'unheard', isSilent: false, isHeard: false, refusals: 12, missing: 1 },
  { when: 'after its answer', isSilent: false, isHeard: true, refusals: 13, missing: 0 },
  { when: 'after a silence', isSilent: true, isHeard: false, refusals: 12, missing: 1 },
])(
  'what a process counted that ends $when while others are asked counts once',
  async ({ isSilent, isHeard, refusals, missing }) => {
    const [none, five, six, seven] = await Promise.all([0, 5, 6, 7].map(counted))
    const { begin, silent, answer, end, measure } = gather()
    const othersAnswer = (): void => {
      answer(2, seven!)
      answer(3, none!)
    }
    const before = await measure(() => {
      answer(1, five!)
      othersAnswer()
    })
    expect(before).toEqual({ refusals: 12, missing: 0 })

    if (isSilent) silent.add(1)
    const during = await measure(() => {
      if (isHeard) answer(1, six!)
      end(1)
      // What it said last may be heard after its end.
      if (!isHeard) answer(1, six!)
      othersAnswer()
    })
    expect(during).toEqual({ refusals, missing })

    silent.clear()
    begin(1)
    const after = await measure(() => {
      end(1)
      othersAnswer()
    })
    expect(after).toEqual({ refusals, missing: 1 })
  },
)
