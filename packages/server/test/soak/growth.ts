/** A value's growth with its uncertainty, both in percent of the median per hour. */
export interface Growth {
  perHour: number
  /** The standard error. Like `perHour`, it is NaN for fewer than three points. */
  error: number
}

type Point = readonly [minutes: number, value: number]

/**
 * Returns the median slope between all pairs of points (Theil–Sen), and a standard error from Kendall's variance. The
 * correlation of successive values increases the error.
 */
export function growthOf(points: readonly Point[]): Growth {
  const count = points.length
  if (count < 3) return { perHour: Number.NaN, error: Number.NaN }
  const slopes = points.flatMap((one, index) => points.slice(index + 1).map((other) => slopeBetween(one, other)))
  const ranks = Math.sqrt((count * (count - 1) * (2 * count + 5)) / 18)
  const slope = median(slopes)
  const part = ranks / slopes.length / 2
  const error = (quantile(slopes, 0.5 + part) - quantile(slopes, 0.5 - part)) / 2
  const correlation = correlationOf(points.map(([minutes, value]) => value - slope * minutes))
  const values = points.map(([, value]) => value)
  const unit = (60 * 100) / median(values)
  return { perHour: slope * unit, error: error * Math.sqrt((1 + correlation) / (1 - correlation)) * unit }
}

const slopeBetween = ([x, y]: Point, [laterX, laterY]: Point): number => (laterY - y) / (laterX - x)

const median = (values: readonly number[]): number => quantile(values, 0.5)

/** Returns the value below which the fraction `part` of the values lies, interpolated between the nearest values. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((one, other) => one - other)
  const rank = Math.min(1, Math.max(0, part)) * (sorted.length - 1)
  const [below, above] = [sorted[Math.floor(rank)]!, sorted[Math.ceil(rank)]!]
  return below + (above - below) * (rank % 1)
}

/** Returns the correlation of each value with the previous one, from 0 to 1 (exclusive), or 0 if it is negative. */
function correlationOf(values: readonly number[]): number {
  const center = values.reduce((sum, value) => sum + value, 0) / values.length
  const distances = values.map((value) => value - center)
  const sumOfSquares = distances.reduce((sum, distance) => sum + distance ** 2, 0)
  if (sumOfSquares === 0) return 0
  const products = distances.slice(1).reduce((sum, distance, index) => sum + distance * distances[index]!, 0)
  return Math.max(0, products / sumOfSquares)
}
