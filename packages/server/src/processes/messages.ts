import type { Worker } from 'node:cluster'
import type { Samples } from '../metrics.ts'

/** Set for a server process that was started by another one: which of them it is, from 1. */
export const NUMBER_VARIABLE = 'MUSTER_PROCESS'

/** What a server process tells the one that started it. */
export type FromProcess =
  | { kind: 'ready'; url: string }
  /** It does not start; the text is for whoever started the server. */
  | { kind: 'failed'; text: string }
  /** Its event loop runs. */
  | { kind: 'here' }
  | { kind: 'samples'; question: number; samples: Samples }
  /** It was asked for the metrics of all. */
  | { kind: 'measure'; question: number }

/** What it is told. */
export type ToProcess =
  | { kind: 'stop' }
  | { kind: 'reload' }
  /** Whether it is there. */
  | { kind: 'ask' }
  | { kind: 'sample'; question: number }
  | { kind: 'measured'; question: number; type: string; text: string }

/** The way to a server process. */
export type Way = Pick<Worker, 'isConnected' | 'send'>

export function tell(worker: Way, message: ToProcess): void {
  if (worker.isConnected()) worker.send(message)
}
