import type { Worker } from 'node:cluster'
import type { Samples } from '../metrics.ts'

/**
 * Environment variable with the number of a server process, from 1. Set only for processes that another process
 * started.
 */
export const NUMBER_VARIABLE = 'MUSTER_PROCESS'

/** Messages from a server process to the process that started it. */
export type FromProcess =
  | { kind: 'ready'; url: string }
  /** The process cannot start. The text tells the operator why. */
  | { kind: 'failed'; text: string }
  /** The event loop of the process is running. */
  | { kind: 'here' }
  | { kind: 'samples'; requestId: number; samples: Samples }
  /** Requests the combined metrics of all processes. */
  | { kind: 'measure'; requestId: number }

/** Messages to a server process. */
export type ToProcess =
  | { kind: 'stop' }
  | { kind: 'reload' }
  /** Asks whether the process responds. */
  | { kind: 'ask' }
  /** Requests the metrics of the process. */
  | { kind: 'sample'; requestId: number }
  | { kind: 'measured'; requestId: number; type: string; text: string }

/** The message channel to a server process. */
export type ProcessChannel = Pick<Worker, 'isConnected' | 'send'>

export function sendTo(worker: ProcessChannel, message: ToProcess): void {
  if (worker.isConnected()) worker.send(message)
}
