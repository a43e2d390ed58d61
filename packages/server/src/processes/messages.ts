import type { Worker } from 'node:cluster'
import type { Samples } from '../metrics.ts'

/**
 * The environment variable that contains the number of a server process, starting at 1. Only a process that another
 * server process started has this variable.
 */
export const NUMBER_VARIABLE = 'MUSTER_PROCESS'

export type FromProcess =
  | { kind: 'ready'; url: string }
  /** Reports that the process cannot start. The text is for the operator, and contains the reason. */
  | { kind: 'failed'; text: string }
  /** Reports that the event loop of the process is running. */
  | { kind: 'here' }
  | { kind: 'samples'; requestId: number; samples: Samples }
  | { kind: 'measure'; requestId: number }

export type ToProcess =
  | { kind: 'stop' }
  | { kind: 'reload' }
  /** Asks the process to show that it responds. */
  | { kind: 'ask' }
  | { kind: 'sample'; requestId: number }
  | { kind: 'measured'; requestId: number; type: string; text: string }

export type ProcessChannel = Pick<Worker, 'isConnected' | 'send'>

export function sendTo(worker: ProcessChannel, message: ToProcess): void {
  if (worker.isConnected()) worker.send(message)
}
