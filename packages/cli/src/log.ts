import type { SetUpOptions } from '@muster/server/start/set-up.ts'
import { destination, pino } from 'pino'

export type Log = SetUpOptions['log']

/** What the server's parts have to say while a command uses them: warnings and errors alone, on standard error. */
export const standardErrorLog = (): Log => pino({ level: 'warn' }, destination({ dest: 2, sync: true }))
