import { defineChore } from '../jobs/job.ts'

/** Drops nonces of requests that would be refused by their age. */
export const dropNoncesJob = defineChore('auth.drop-nonces')

/** Drops sessions that have expired, sign-ins that were not brought to an end, and counts of tries that are over. */
export const dropSignInsJob = defineChore('auth.drop-sign-ins')
