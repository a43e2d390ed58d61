import { defineChore } from '../../jobs/job.ts'

/** Deletes registration codes that expired more than `expiredCodeDays` days ago. */
export const dropCodesJob = defineChore('registration-codes.drop-expired')
