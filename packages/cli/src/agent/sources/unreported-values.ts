import type { ReportedValue } from '../config/reported-values.ts'
import { type Sample, withoutNoise } from './sample.ts'

export interface Values {
  /** Each value can be read separately, so that a slow source does not delay other values. */
  each: readonly WatchedValue[]
  pending(): Map<string, string>
  /** Marks a value that the server accepted or permanently rejected, so that it is no longer pending. */
  markDone(attribute: string, value: string): void
  all(): { attribute: string; value: string | undefined; failure: string | undefined; isReported: boolean }[]
}

export interface WatchedValue {
  /** Milliseconds between two readings. */
  every: number
  /**
   * Reads the value. Resolves to true if the server has not yet accepted or permanently rejected the last successful
   * reading.
   */
  read(signal: AbortSignal): Promise<boolean>
}

interface Watched extends ReportedValue {
  sample: Sample | undefined
  failure: string | undefined
  done: string | undefined
}

export interface ValuesOptions {
  onFailure: (failure: { attribute: string; message: string }) => void
  onRecovery: (attribute: string) => void
}

export function createValues(reported: readonly ReportedValue[], { onFailure, onRecovery }: ValuesOptions): Values {
  const watched = reported.map((each): Watched => ({ ...each, sample: undefined, failure: undefined, done: undefined }))

  const isPending = ({ sample, done }: Watched): boolean => sample !== undefined && sample.text !== done

  const readValue = async (value: Watched, signal: AbortSignal): Promise<boolean> => {
    try {
      value.sample = withoutNoise(value.sample, await value.source(signal))
      if (value.failure !== undefined) onRecovery(value.attribute)
      value.failure = undefined
    } catch (error) {
      if (signal.aborted) return false
      const message = (error as Error).message
      // Report a failure once, not on every reading, unless its message changes.
      if (value.failure !== message) onFailure({ attribute: value.attribute, message })
      value.failure = message
    }
    return isPending(value)
  }

  return {
    each: watched.map((value) => ({ every: value.every, read: (signal) => readValue(value, signal) })),
    pending: () => new Map(watched.filter(isPending).map(({ attribute, sample }) => [attribute, sample!.text])),
    markDone(attribute, text) {
      const value = watched.find((each) => each.attribute === attribute)
      if (value !== undefined) value.done = text
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
