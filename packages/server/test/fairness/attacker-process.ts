import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { Attack, AttackerCommand, AttackerState } from './attacker.ts'

export interface AttackerProcess {
  start(attacks: Attack[]): void
  state(): AttackerState
  /** Resets every connection and returns the attacker's final state. */
  stop(): Promise<AttackerState>
}

export async function startAttacker(): Promise<AttackerProcess> {
  const child = fork(new URL('attacker.ts', import.meta.url), { serialization: 'advanced' })
  const exited = once(child, 'exit')
  let [state] = (await once(child, 'message')) as [AttackerState]
  child.on('message', (next: AttackerState) => {
    state = next
  })
  const sendCommand = (command: AttackerCommand): void => void child.send(command)
  return {
    start: (attacks) => sendCommand({ kind: 'attack', attacks }),
    state: () => state,
    async stop() {
      if (child.connected) sendCommand({ kind: 'stop' })
      await exited
      return state
    },
  }
}
