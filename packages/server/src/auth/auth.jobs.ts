import { defineChore } from '../jobs/job.ts'

/** Deletes the nonces of requests that are too old to be accepted. */
export const dropNoncesJob = defineChore('auth.drop-nonces')

/** Deletes expired sessions, expired unfinished sign-ins, and expired attempt counts. */
export const dropSignInsJob = defineChore('auth.drop-sign-ins')
