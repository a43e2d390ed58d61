import pg from 'pg'
import { INTERNAL_ERROR, OUTCOME_UNKNOWN } from './pool/unknown-outcome.ts'

/**
 * SQLSTATEs outside class 08 that a server sends while it is starting, shutting down, or out of connections
 * (PostgreSQL, Appendix A). A server sends 57P05 when it ends an idle session. Citus sends CIINF if a shard moved to
 * another node between two steps of a statement, which then changed nothing.
 */
const states = new Set(['57P01', '57P02', '57P03', '57P05', '53300', 'CIINF'])

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

/** Messages of the errors that `pg` and its pool throw without a code. */
const messages =
  /^(timeout exceeded when trying to connect|Connection terminated|Client has encountered a connection error|Client was closed|Query read timeout|Cannot use a pool after calling end)/

/**
 * If a node fails during a transaction, Citus sends this message without a specific SQLSTATE. The transaction changed
 * nothing.
 */
const nodeFailure = /^failure on connection marked as essential: /

/** Checks whether an error means that the database is unavailable. The same request may succeed later. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  if (states.has(code) || /^08\d{3}$/.test(code) || isSocketError(error, code)) return true
  if (error instanceof AggregateError) return error.errors.length > 0 && error.errors.every(isDatabaseUnavailable)
  return code === '' ? messages.test(error.message) : code === INTERNAL_ERROR && nodeFailure.test(error.message)
}

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined)

/** Checks whether the connection broke during a change. The database may or may not have committed the change. */
export const isOutcomeUnknown = (error: unknown): boolean => codeOf(error) === OUTCOME_UNKNOWN

/**
 * Checks whether a query failed on a standby or worker but may succeed on the primary or coordinator. The standby or
 * worker is unavailable, rejected a write, or failed because of a read conflict (`isReadConflict`).
 */
export const isStandbyFailure = (error: unknown): boolean =>
  isDatabaseUnavailable(error) || isReadConflict(error) || codeOf(error) === '25006'

/**
 * Checks whether a query conflicted with another transaction, with the move of a shard, or with WAL replay on a standby
 * (PostgreSQL, Handling Query Conflicts).
 */
export const isReadConflict = (error: unknown): boolean =>
  isShardMoved(error) || /^(40001|40P01)$/.test(String(codeOf(error)))

/**
 * Checks whether a query failed because a shard may have moved (Citus, class CI). `readOnShard` explains the other
 * codes.
 */
export const isShardMoved = (error: unknown): boolean => /^(22012|42P01|CI...)$/.test(String(codeOf(error)))

/** Checks whether the database's disk is full. The failed statement changed nothing. */
export const isDatabaseFull = (error: unknown): boolean => codeOf(error) === '53100'

/** Checks whether the database canceled a statement that ran too long or that waited too long for a lock. */
export const isDatabaseSlow = (error: unknown): boolean => ['57014', '55P03'].includes(codeOf(error) as string)

/** File errors can also have a code such as ENOENT, but their `syscall` is a file operation such as `open`. */
function isSocketError(error: Error, code: string): boolean {
  if (!socketErrors.has(code)) return false
  const syscall = 'syscall' in error ? error.syscall : 'connect'
  return syscall === 'connect' || syscall === 'read' || syscall === 'write' || syscall === 'getaddrinfo'
}

const duplicateKey = /^duplicate key value violates unique constraint "([^"]+)"/

/**
 * Checks whether a statement violated the unique index `index` (SQLSTATE 23505). On a cluster, the index name in the
 * error ends with the number of the shard. Some errors name the index only in the message. For example, Citus raises
 * such an error (SQLSTATE XX000) while it copies rows to a shard.
 */
export function isUniqueViolation(error: unknown, index: string): boolean {
  if (!(error instanceof pg.DatabaseError)) return false
  const isNamed = error.code === '23505' && error.constraint !== undefined
  const violated = isNamed ? error.constraint : duplicateKey.exec(error.message)?.[1]
  return violated?.replace(/_\d+$/, '') === index
}

/** Checks whether PostgreSQL rolled back a transaction because of a deadlock (SQLSTATE 40P01). */
export const isDeadlock = (error: unknown): boolean => error instanceof pg.DatabaseError && error.code === '40P01'

/**
 * Checks whether a statement violated a foreign key (SQLSTATE 23503), usually because another transaction has just
 * deleted the row that the statement references.
 */
export function isForeignKeyViolation(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '23503'
}
