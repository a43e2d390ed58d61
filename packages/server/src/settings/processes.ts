import { availableParallelism } from 'node:os'
import { setting } from './setting.ts'
import { integer } from './values.ts'

export const processSettings = {
  processes: setting({
    name: 'MUSTER_WORKERS',
    meaning:
      'Number of server processes, which share the same ports. auto: one per processor. Limits per server process, such as MUSTER_HTTP_CONNECTIONS, apply to each process separately.',
    default: '1',
    parse: (text) => (text === 'auto' ? availableParallelism() : processes(text ?? '1')),
  }),
  workerSilence: setting({
    name: 'MUSTER_WORKER_SILENCE',
    meaning:
      'Seconds that a server process can take to respond to a health check. While a process starts, the limit is at least 30 seconds. If a process does not respond in time, the parent process kills and replaces it. 0: no limit. Has no effect if MUSTER_WORKERS is 1.',
    default: '30',
    parse: (text) => integer(text ?? '30', 0, 3_600, 'seconds'),
  }),
}

function processes(text: string): number {
  try {
    return integer(text, 1, 128)
  } catch (error) {
    throw new Error(`auto or ${(error as Error).message}`)
  }
}
