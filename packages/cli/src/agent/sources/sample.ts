/** A reading from a source: a string and, for a measurement, a number. */
export interface Sample {
  text: string
  /** `step` is the smallest difference that counts as a change, so that the agent does not report noise. */
  measured?: { value: number; step: number }
}
