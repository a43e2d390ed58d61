import { defineChore } from '../jobs/job.ts'

/** Deletes the nonces of requests that are too old to be accepted. */
export const dropNoncesJob = defineChore('auth.drop-nonces')

/** Deletes expired sessions, unfinished sign-ins, and expired counts of attempts. */
export const dropSignInsJob = defineChore('auth.drop-sign-ins')
