/** The number of devices after which a job that registers devices first updates PostgreSQL's planner statistics. */
const FIRST_MILESTONE = 1_000

/**
 * Returns how many times a job updates the planner statistics during its first `done` devices: at 1,000, 4,000, 16,000,
 * and so on. In an account that was created after the last analysis, PostgreSQL expects about one device. To find a
 * device, it may then read all devices of the account. Autovacuum waits until a tenth of all rows has changed.
 */
const milestonesOf = (done: number): number =>
  done < FIRST_MILESTONE ? 0 : 1 + Math.floor(Math.log2(done / FIRST_MILESTONE) / 2)

export const needsAnalysis = (doneBefore: number, done: number): boolean =>
  milestonesOf(done) > milestonesOf(doneBefore)
