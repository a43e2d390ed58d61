/** A source's reading: a string and, for a measurement, the number. */
export interface Sample {
  text: string
  measured?: Measured
}

export interface Measured {
  value: number
  /** The smallest difference to report as a change, so that the agent does not report noise. */
  step: number
}
