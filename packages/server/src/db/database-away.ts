import { OUTCOME_LOST } from './pool/lost-outcome.ts'

/** SQLSTATE of a server that goes away, starts, or takes no more connections (PostgreSQL Appendix A), class 08 apart. */
const states = new Set(['57P01', '57P02', '57P03', '57P05', '53300'])

/** Errors of a socket on which nothing answers. */
const socketErrors = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOENT',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EAI_AGAIN',
  'ENOTFOUND',
])

/** What `pg` and its pool say without a code. */
const messages =
  /^(timeout exceeded when trying to connect|Connection terminated|Client has encountered a connection error|Client was closed|Query read timeout|Cannot use a pool after calling end)/

/** Whether an error means that the database cannot be reached, so that the same request may do well later. */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  if (states.has(code) || /^08\d{3}$/.test(code) || isSocketError(error, code)) return true
  if (error instanceof AggregateError) return error.errors.length > 0 && error.errors.every(isDatabaseAway)
  return code === '' && messages.test(error.message)
}

/** Whether the database was lost while it made a change: nobody knows whether it did. */
export const isOutcomeLost = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === OUTCOME_LOST

/**
 * Whether a standby failed a query that the primary may answer: it is away, or ended it for what it had to replay meanwhile, or
 * takes no writes (PostgreSQL, Handling Query Conflicts).
 */
export const isFailureOfStandby = (error: unknown): boolean =>
  isDatabaseAway(error) ||
  (error instanceof Error && 'code' in error && ['40001', '40P01', '25006'].includes(error.code as string))

/** Whether the database could not write for want of room: what was to be changed is as it was. */
export const isDatabaseFull = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === '53100'

/** Whether the database gave up on a statement for the time it took, or for a lock that others held. */
export const isDatabaseSlow = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === '57014' || error.code === '55P03')

/** `syscall` tells a socket's ENOENT or ECONNRESET from a file's. */
function isSocketError(error: Error, code: string): boolean {
  if (!socketErrors.has(code)) return false
  const syscall = 'syscall' in error ? error.syscall : 'connect'
  return syscall === 'connect' || syscall === 'read' || syscall === 'write' || syscall === 'getaddrinfo'
}
