import pg from 'pg'

/** The SQLSTATE `transaction_resolution_unknown` (PostgreSQL, Appendix A). */
export const OUTCOME_UNKNOWN = '08007'

/** The SQLSTATE `internal_error`, which PostgreSQL and Citus also use for errors without a more specific SQLSTATE. */
export const INTERNAL_ERROR = 'XX000'

type Run = (text: unknown, values?: readonly unknown[]) => unknown

/**
 * Wraps `run`. The returned function rejects with the code OUTCOME_UNKNOWN if the connection breaks during COMMIT, or
 * during a data change outside a transaction.
 */
export function reportUnknownOutcome(client: pg.PoolClient, run: Run): Run {
  let isInTransaction = false
  let unknownOutcome: Error | undefined
  return (text, values) => {
    const step = stepOf(text)
    // Callers send ROLLBACK after a failed COMMIT. An error from ROLLBACK would hide the error from COMMIT.
    if (step === 'rollback' && unknownOutcome !== undefined) return Promise.reject(unknownOutcome)
    const isCommitting = step === 'commit' || (step === undefined && !isInTransaction)
    if (step !== undefined) isInTransaction = step === 'begin'
    if (step === 'begin') unknownOutcome = undefined
    if (!isCommitting || !isConnected(client)) return run(text, values)
    return (run(text, values) as Promise<unknown>).catch((error: Error) => {
      if ((isConnected(client) && !isForwardedError(error)) || (step === undefined && !changesData(text))) throw error
      const message = 'the connection broke before the outcome was known'
      unknownOutcome = Object.assign(new Error(message, { cause: error }), { code: OUTCOME_UNKNOWN })
      throw unknownOutcome
    })
  }
}

const steps = /^(begin|start transaction|commit|rollback)\b(?! to )/i

function stepOf(text: unknown): 'begin' | 'commit' | 'rollback' | undefined {
  const step = typeof text === 'string' && text.length < 100 ? steps.exec(text)?.[1]?.toLowerCase() : undefined
  return step === 'start transaction' ? 'begin' : (step as 'begin' | 'commit' | 'rollback' | undefined)
}

const changesData = (text: unknown): boolean =>
  typeof text === 'string' && /\b(insert into|update|delete from|merge into)\b/i.test(text)

/**
 * Checks whether a pooler, or the coordinator of a Citus cluster, reports that its own connection broke. PostgreSQL
 * never reports class 08 for a statement that it has accepted. Citus can report a failed commit without a specific
 * SQLSTATE.
 */
const isForwardedError = (error: Error): boolean =>
  error instanceof pg.DatabaseError &&
  (error.code?.startsWith('08') === true || (error.code === INTERNAL_ERROR && failedCommit.test(error.message)))

const failedCommit = /^could not commit transaction for shard /

const isConnected = (client: pg.PoolClient): boolean => (client as unknown as { _queryable: boolean })._queryable
