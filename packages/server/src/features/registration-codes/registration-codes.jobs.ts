import { defineChore } from '../../jobs/job.ts'

/** Removes codes that expired some time ago. */
export const dropCodesJob = defineChore('registration-codes.drop-expired')
