/** A reading of a source: a string, and the number if it is a measurement. */
export interface Sample {
  text: string
  measured?: Measured
}

export interface Measured {
  value: number
  /** The smallest difference that counts as a change, so that noise is not reported. */
  step: number
}
