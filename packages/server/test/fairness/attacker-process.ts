import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { Attack, AttackerOrder, AttackerState } from './attacker.ts'

export interface AttackerProcess {
  start(attacks: Attack[]): void
  state(): AttackerState
  /** Resets every connection and returns what the attacker saw. */
  stop(): Promise<AttackerState>
}

export async function startAttacker(): Promise<AttackerProcess> {
  const child = fork(new URL('attacker.ts', import.meta.url), { serialization: 'advanced' })
  const exited = once(child, 'exit')
  let [state] = (await once(child, 'message')) as [AttackerState]
  child.on('message', (next: AttackerState) => {
    state = next
  })
  const order = (next: AttackerOrder): void => void child.send(next)
  return {
    start: (attacks) => order({ kind: 'attack', attacks }),
    state: () => state,
    async stop() {
      if (child.connected) order({ kind: 'stop' })
      await exited
      return state
    },
  }
}
