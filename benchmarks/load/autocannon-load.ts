import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { Load, LoadResult } from './load.ts'

const program = new URL('../peers/autocannon-process.js', import.meta.url)

/** Generates load with autocannon in a separate process, which runs until the caller calls `close`. */
export function startAutocannonLoad(): Load {
  const child = fork(program, { serialization: 'advanced' })
  const exited = once(child, 'exit')
  return {
    name: 'autocannon',
    async run(job) {
      child.send(job)
      const ended = exited.then(() => {
        throw new Error('The autocannon process exited before it sent a result.')
      })
      const [result] = (await Promise.race([once(child, 'message'), ended])) as [LoadResult]
      return result
    },
    async close() {
      if (child.connected) child.disconnect()
      await exited
    },
  }
}
