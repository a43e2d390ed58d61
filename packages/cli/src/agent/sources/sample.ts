/** A reading from a source: a string and, for a measurement, a number. */
export interface Sample {
  text: string
  measured?: Measured
}

export interface Measured {
  value: number
  /** The smallest difference that counts as a change, so that the agent does not report noise. */
  step: number
}
