import type { ReportedValue } from '../config/reported-values.ts'
import type { Sample } from './sample.ts'

export interface Failure {
  attribute: string
  message: string
}

/** The latest values, and which of them the server does not have yet. */
export interface Values {
  /** Each by itself, so that a slow one holds up no other. */
  each: readonly WatchedValue[]
  /** What is to be reported, by attribute. */
  pending(): Map<string, string>
  /** The server has this value, or will never take it. */
  settled(attribute: string, value: string): void
  /** All there are, for people. */
  all(): { attribute: string; value: string | undefined; failure: string | undefined; isReported: boolean }[]
}

export interface WatchedValue {
  /** Milliseconds between two looks. */
  every: number
  /** Finds the value out; true where it is to be reported. */
  look(signal: AbortSignal): Promise<boolean>
}

interface Watched extends ReportedValue {
  sample: Sample | undefined
  failure: string | undefined
  settled: string | undefined
}

export interface ValuesOptions {
  onFailure: (failure: Failure) => void
  onRecovery: (attribute: string) => void
}

export function createValues(reported: readonly ReportedValue[], { onFailure, onRecovery }: ValuesOptions): Values {
  const watched: Watched[] = reported.map((each) => ({
    ...each,
    sample: undefined,
    failure: undefined,
    settled: undefined,
  }))

  const isPending = ({ sample, settled }: Watched): boolean => sample !== undefined && sample.text !== settled

  const lookAt = async (value: Watched, signal: AbortSignal): Promise<boolean> => {
    try {
      value.sample = steadied(value.sample, await value.source(signal))
      if (value.failure !== undefined) onRecovery(value.attribute)
      value.failure = undefined
    } catch (error) {
      if (signal.aborted) return false
      const message = (error as Error).message
      // Once, not at each look.
      if (value.failure !== message) onFailure({ attribute: value.attribute, message })
      value.failure = message
    }
    return isPending(value)
  }

  return {
    each: watched.map((value) => ({ every: value.every, look: (signal) => lookAt(value, signal) })),
    pending: () => new Map(watched.filter(isPending).map(({ attribute, sample }) => [attribute, sample!.text])),
    settled(attribute, text) {
      const value = watched.find((each) => each.attribute === attribute)
      if (value !== undefined) value.settled = text
    },
    all: () =>
      watched.map((value) => ({
        attribute: value.attribute,
        value: value.sample?.text,
        failure: value.failure,
        isReported: value.sample !== undefined && !isPending(value),
      })),
  }
}

/** The sample before, where a measurement has moved by less than its step. */
function steadied(before: Sample | undefined, now: Sample): Sample {
  if (before?.measured === undefined || now.measured === undefined) return now
  return Math.abs(now.measured.value - before.measured.value) < now.measured.step ? before : now
}
