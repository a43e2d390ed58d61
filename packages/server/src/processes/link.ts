import cluster from 'node:cluster'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Metrics } from '../metrics.ts'
import type { Told } from '../start/run.ts'
import type { FromProcess, ToProcess } from './messages.ts'

/** What ties a server process to the one that started it. Without that one it ends: node:cluster sees to it. */
export interface Link extends Told {
  ready(url: string): Promise<void>
  failed(text: string): Promise<void>
  /** Has these asked for, and answers what all processes measure together. */
  share(metrics: Metrics): Metrics
  /** Lets the process end. */
  end(): void
}

/** Longer than the others have to answer; after that a process answers for itself alone. */
const MEASURED_WITHIN_MS = 6_000

type Measured = Extract<ToProcess, { kind: 'measured' }>

export function linkToParent(): Link {
  const listeners = new Set<(message: ToProcess) => void>()
  process.on('message', (message: ToProcess) => {
    for (const listener of listeners) listener(message)
  })
  const listen = <Kind extends ToProcess['kind']>(
    kind: Kind,
    act: (message: Extract<ToProcess, { kind: Kind }>) => void,
  ): void => {
    listeners.add((message) => {
      if (message.kind === kind) act(message as Extract<ToProcess, { kind: Kind }>)
    })
  }

  listen('ask', () => send({ kind: 'here' }))
  // Whoever asked before may not have been heard.
  void send({ kind: 'here' })

  return {
    ready: (url) => send({ kind: 'ready', url }),
    failed: (text) => send({ kind: 'failed', text }),
    onStop: (stop) => listen('stop', stop),
    onReload: (reload) => listen('reload', reload),
    share(metrics) {
      const asked = new Map<number, (answer: Measured) => void>()
      let questions = 0
      listen('sample', async ({ question }) => send({ kind: 'samples', question, samples: await metrics.samples() }))
      listen('measured', (answer) => asked.get(answer.question)?.(answer))
      const measured = async (): Promise<Measured | undefined> => {
        const question = ++questions
        const timer = new AbortController()
        const answer = new Promise<Measured>((resolve) => asked.set(question, resolve))
        const late = sleep(MEASURED_WITHIN_MS, undefined, { signal: timer.signal, ref: false }).catch(() => undefined)
        await send({ kind: 'measure', question })
        return Promise.race([answer, late]).finally(() => {
          timer.abort()
          asked.delete(question)
        })
      }
      return { ...metrics, text: async () => (await measured()) ?? metrics.text() }
    },
    end: () => cluster.worker?.disconnect(),
  }
}

/** Resolves once it is on its way; what can no longer be told goes unsaid, since this process ends then. */
const send = (message: FromProcess): Promise<void> =>
  new Promise((resolve) => {
    if (process.connected) process.send!(message, undefined, undefined, () => resolve())
    else resolve()
  })
