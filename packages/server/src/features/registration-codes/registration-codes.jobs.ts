import { defineChore } from '../../jobs/job.ts'

/** Removes codes that expired some days ago. */
export const dropCodesJob = defineChore('registration-codes.drop-expired')
