import { badInput } from '../../errors.ts'

export interface Span {
  from: Date
  until: Date
}

const MAX_DAYS = 400

export function readSpan(args: { from: Date; until?: Date | null | undefined }, now: Date): Span {
  const { from } = args
  const until = args.until ?? now
  if (from >= until) {
    const text = `${from.toISOString()} is not before ${until.toISOString()}`
    throw badInput(args.until == null ? `from must be in the past: ${text}` : `from must be before until: ${text}`)
  }
  if (until.getTime() - from.getTime() > MAX_DAYS * 86_400_000)
    throw badInput(`from and until must be at most ${MAX_DAYS} days apart`)
  return { from, until }
}
