/** A value's growth with its uncertainty, both in percent of the median per hour. */
export interface Growth {
  perHour: number
  /** NaN for fewer than three points. */
  error: number
}

type Point = readonly [minutes: number, value: number]

/** The median slope between all pairs of points (Theil–Sen), with a standard error from Kendall's variance. */
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

/** The number of values before and after a fall that show whether the fall lasts. */
const LEVEL = 8

/** A fall is distinct if it is so many times larger than the usual difference between successive values. */
const DISTINCT = 3

/** A fall could otherwise hide growth, and would make every estimate uncertain. */
export function withoutFall(points: readonly Point[]): Point[] {
  const values = points.map(([, value]) => value)
  const fallAt = (index: number, level: (part: readonly number[]) => number): number =>
    level(values.slice(index - LEVEL, index)) - level(values.slice(index, index + LEVEL))
  const starts = values.map((_, index) => index).slice(LEVEL, -LEVEL)
  const start = starts.toSorted((one, other) => fallAt(other, mean) - fallAt(one, mean))[0] ?? 0
  const fall = fallAt(start, median)
  const differences = values.slice(1).map((value, index) => Math.abs(value - values[index]!))
  if (!(fall > DISTINCT * median(differences))) return [...points]
  return points.map(([minutes, value], index) => [minutes, index < start ? value : value + fall])
}

const slopeBetween = ([x, y]: Point, [laterX, laterY]: Point): number => (laterY - y) / (laterX - x)

const median = (values: readonly number[]): number => quantile(values, 0.5)

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length

/** Returns the value below which this part of the values lies, interpolated between the closest two. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((one, other) => one - other)
  const rank = Math.min(1, Math.max(0, part)) * (sorted.length - 1)
  const [below, above] = [sorted[Math.floor(rank)]!, sorted[Math.ceil(rank)]!]
  return below + (above - below) * (rank % 1)
}

/** Returns how closely values follow the previous ones, from 0 to 1 (exclusive). */
function correlationOf(values: readonly number[]): number {
  const center = mean(values)
  const distances = values.map((value) => value - center)
  const sumOfSquares = distances.reduce((sum, distance) => sum + distance ** 2, 0)
  if (sumOfSquares === 0) return 0
  const products = distances.slice(1).reduce((sum, distance, index) => sum + distance * distances[index]!, 0)
  return Math.max(0, products / sumOfSquares)
}
