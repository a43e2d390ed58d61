import type { SetUpOptions } from '@muster/server/start/set-up.ts'
import { destination, pino } from 'pino'

export type Log = SetUpOptions['log']

/** Writes warnings and errors to standard error. */
export const standardErrorLog = (): Log => pino({ level: 'warn' }, destination({ dest: 2, sync: true }))
