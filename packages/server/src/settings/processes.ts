import { availableParallelism } from 'node:os'
import { setting } from './setting.ts'
import { integer } from './values.ts'

/** How many serve. */
export const processSettings = {
  processes: setting({
    name: 'MUSTER_WORKERS',
    meaning:
      'Server processes that one command runs, on the same ports; auto for one a processor. What is said of each server process holds for each of them.',
    default: '1',
    parse: (text) => (text === 'auto' ? availableParallelism() : processes(text ?? '1')),
  }),
  workerSilence: setting({
    name: 'MUSTER_WORKER_SILENCE',
    meaning:
      'Seconds for which one of several server processes may be silent when it is asked whether it is there (30 at least while it starts); then it is killed, and another one is started. 0: no bound.',
    default: '30',
    parse: (text) => integer(text ?? '30', 0, 3_600),
  }),
}

function processes(text: string): number {
  try {
    return integer(text, 1, 128)
  } catch (error) {
    throw new Error(`auto or ${(error as Error).message}`)
  }
}
