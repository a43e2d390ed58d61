/** A reading from a source: a string and, for a measurement, a number. */
export interface Sample {
  text: string
  /** `step` is the smallest difference that counts as a change, so that the agent does not report noise. */
  measured?: { value: number; step: number }
}

/** Returns the previous sample if a measurement changed by less than its step. Otherwise, returns the new sample. */
export function withoutNoise(before: Sample | undefined, now: Sample): Sample {
  if (before?.measured === undefined || now.measured === undefined) return now
  return Math.abs(now.measured.value - before.measured.value) < now.measured.step ? before : now
}
