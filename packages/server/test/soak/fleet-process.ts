import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FleetCommand, FleetState } from './fleet.ts'

export interface FleetProcess {
  state(): FleetState
  send(command: FleetCommand): void
  /** Waits until the condition is true. Throws if it is still false after `withinSeconds`. */
  until(condition: (state: FleetState) => boolean, withinSeconds: number): Promise<FleetState>
  stop(): Promise<void>
}

/** Starts the devices and the receiver in a separate process, so that their work does not delay the requests. */
export async function startFleet(): Promise<FleetProcess> {
  const child = fork(new URL('fleet.ts', import.meta.url), { serialization: 'advanced' })
  const exited = once(child, 'exit')
  let [state] = (await once(child, 'message')) as [FleetState]
  child.on('message', (next: FleetState) => {
    state = next
  })
  return {
    state: () => state,
    send: (command) => void child.send(command),
    async until(condition, withinSeconds) {
      const end = performance.now() + withinSeconds * 1_000
      while (!condition(state)) {
        if (performance.now() > end)
          throw new Error(`the fleet did not reach the expected state in ${withinSeconds} s: ${JSON.stringify(state)}`)
        await sleep(200)
      }
      return state
    },
    async stop() {
      if (child.connected) child.send({ kind: 'stop' } satisfies FleetCommand)
      await exited
    },
  }
}
