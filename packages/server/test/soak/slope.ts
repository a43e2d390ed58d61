/** A value's growth with its uncertainty. */
export interface Slope {
  /** Growth per hour, in percent of the mean. */
  perHour: number
  /** The standard error. NaN for two points. */
  error: number
}

/** Fits a line to points by least squares. */
export function slopeOf(points: readonly (readonly [minutes: number, value: number])[]): Slope {
  const count = points.length
  const meanX = sum(points.map(([x]) => x)) / count
  const meanY = sum(points.map(([, y]) => y)) / count
  const spread = sum(points.map(([x]) => (x - meanX) ** 2))
  const slope = sum(points.map(([x, y]) => (x - meanX) * (y - meanY))) / spread
  const residual = sum(points.map(([x, y]) => (y - meanY - slope * (x - meanX)) ** 2))
  const error = Math.sqrt(residual / (count - 2) / spread)
  const perHour = (value: number): number => (value * 60 * 100) / meanY
  return { perHour: perHour(slope), error: perHour(error) }
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)
