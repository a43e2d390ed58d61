import { defineChore } from '../jobs/job.ts'

/** Deletes nonces of requests that would be rejected for their age. */
export const dropNoncesJob = defineChore('auth.drop-nonces')

/** Deletes expired sessions, unfinished sign-ins, and expired counts of attempts. */
export const dropSignInsJob = defineChore('auth.drop-sign-ins')
