import cluster from 'node:cluster'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Metrics } from '../metrics.ts'
import type { CommandSource } from '../start/run-until-stopped.ts'
import type { FromProcess, ToProcess } from './messages.ts'

/** The connection from a server process to its parent. If the parent ends, node:cluster ends the process too. */
export interface Link extends CommandSource {
  ready(url: string): Promise<void>
  failed(text: string): Promise<void>
  /**
   * Returns metrics whose text contains all processes' metrics, or only this process's metrics if the parent does not
   * respond.
   */
  share(metrics: Metrics): Metrics
  /** Disconnects from the parent. Otherwise, the connection would keep the process running. */
  end(): void
}

/** How long to wait for the parent, in milliseconds. The parent waits less time for the other processes. */
const MEASURE_TIMEOUT_MS = 6_000

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
  // The parent may have sent the message `ask` before this listener existed.
  void send({ kind: 'here' })

  return {
    ready: (url) => send({ kind: 'ready', url }),
    failed: (text) => send({ kind: 'failed', text }),
    onStop: (stop) => listen('stop', stop),
    onReload: (reload) => listen('reload', reload),
    share(metrics) {
      const pending = new Map<number, (measured: Measured) => void>()
      let lastRequestId = 0
      listen('sample', async ({ requestId }) => send({ kind: 'samples', requestId, samples: await metrics.samples() }))
      listen('measured', (message) => pending.get(message.requestId)?.(message))
      const measureAll = async (): Promise<Measured | undefined> => {
        const requestId = ++lastRequestId
        const timer = new AbortController()
        const measured = new Promise<Measured>((resolve) => pending.set(requestId, resolve))
        const timeout = sleep(MEASURE_TIMEOUT_MS, undefined, { signal: timer.signal, ref: false }).catch(
          () => undefined,
        )
        await send({ kind: 'measure', requestId })
        return Promise.race([measured, timeout]).finally(() => {
          timer.abort()
          pending.delete(requestId)
        })
      }
      return { ...metrics, text: async () => (await measureAll()) ?? metrics.text() }
    },
    end: () => cluster.worker?.disconnect(),
  }
}

/** Resolves once the message is sent. If the connection to the parent is closed, the message is dropped. */
const send = (message: FromProcess): Promise<void> =>
  new Promise((resolve) => {
    if (process.connected) process.send!(message, undefined, undefined, () => resolve())
    else resolve()
  })
