/** Units of time, largest first. */
export const units = [
  { value: 'days', one: 'day', seconds: 86_400 },
  { value: 'hours', one: 'hour', seconds: 3_600 },
  { value: 'minutes', one: 'minute', seconds: 60 },
  { value: 'seconds', one: 'second', seconds: 1 },
] as const

type Unit = (typeof units)[number]
export type UnitName = Unit['value']

export const unitOf = (name: UnitName): Unit => units.find(({ value }) => value === name)!

/** Expresses an interval in the largest unit that needs no fraction. */
export function splitInterval(seconds: number): { count: number; unit: UnitName } {
  const unit = units.find((each) => seconds % each.seconds === 0)!
  return { count: seconds / unit.seconds, unit: unit.value }
}

/** Describes an interval, such as `every 5 minutes` or `every day`. */
export function describeInterval(seconds: number): string {
  const { count, unit } = splitInterval(seconds)
  return count === 1 ? `every ${unitOf(unit).one}` : `every ${count.toLocaleString()} ${unit}`
}
