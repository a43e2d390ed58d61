import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FleetOrder, FleetState } from './fleet.ts'

export interface FleetProcess {
  state(): FleetState
  order(order: FleetOrder): void
  /** Resolves with the state once it is so; rejects when it takes long. */
  until(isSo: (state: FleetState) => boolean, withinSeconds: number): Promise<FleetState>
  stop(): Promise<void>
}

/** Devices and receiver in a process of their own, so that what they cost is not in the times of requests. */
export async function startFleet(): Promise<FleetProcess> {
  const child = fork(new URL('fleet.ts', import.meta.url), { serialization: 'advanced' })
  const exited = once(child, 'exit')
  let [state] = (await once(child, 'message')) as [FleetState]
  child.on('message', (next: FleetState) => {
    state = next
  })
  return {
    state: () => state,
    order: (order) => void child.send(order),
    async until(isSo, withinSeconds) {
      const end = performance.now() + withinSeconds * 1_000
      while (!isSo(state)) {
        if (performance.now() > end) throw new Error(`given up waiting for the fleet: ${JSON.stringify(state)}`)
        await sleep(200)
      }
      return state
    },
    async stop() {
      if (child.connected) child.send({ kind: 'stop' } satisfies FleetOrder)
      await exited
    },
  }
}
