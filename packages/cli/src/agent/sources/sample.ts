/** What a source says: text, and for a measurement its number as well. */
export interface Sample {
  text: string
  measured?: Measured
}

export interface Measured {
  value: number
  /** Only a move of at least this much counts as a change, so that noise is not reported. */
  step: number
}
