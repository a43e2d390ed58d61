/** A value is stale after this number of expected intervals without a recorded write. */
export const STALE_AFTER = 1.25

export const isStale = ({ confirmed }: { confirmed: number }, seconds: number, now: Date): boolean =>
  now.getTime() - confirmed > STALE_AFTER * seconds * 1_000
