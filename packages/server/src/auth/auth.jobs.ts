import { defineChore } from '../jobs/job.ts'

/** Deletes the nonces of requests that are too old to be accepted. */
export const dropNoncesJob = defineChore('auth.drop-nonces')

/**
 * Deletes expired sessions, expired unfinished sign-ins, expired attempt counts, and invitations that expired a week
 * ago.
 */
export const dropSignInsJob = defineChore('auth.drop-sign-ins')
