import { defineChore } from '../../jobs/job.ts'

/** Deletes registration codes some days after they expire. */
export const dropCodesJob = defineChore('registration-codes.drop-expired')
