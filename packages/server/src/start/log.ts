import type { FastifyBaseLogger } from 'fastify'
import { destination, pino } from 'pino'
import pinoPretty from 'pino-pretty'
import type { Config } from '../config.ts'

/** Logs to standard error, as JSON for programs or as text for people. Only terminals get colors. */
export function createLog({ logLevel, logFormat }: Pick<Config, 'logLevel' | 'logFormat'>): FastifyBaseLogger {
  const standardError = destination(2)
  if (logFormat === 'json') return pino({ level: logLevel }, standardError)
  const text = pinoPretty({
    destination: standardError,
    colorize: process.stderr.isTTY === true,
    translateTime: 'SYS:HH:MM:ss',
    ignore: 'pid,hostname',
    singleLine: true,
  })
  return pino({ level: logLevel }, text)
}
