import pg from 'pg'

/** SQLSTATE `transaction_resolution_unknown` (PostgreSQL, Appendix A). */
export const OUTCOME_LOST = '08007'

type Run = (text: unknown, values?: readonly unknown[]) => unknown

/**
 * Statements of a connection, whose errors tell where nobody knows what came of them: those that make something last, which is
 * COMMIT and what changes something outside a transaction, and whose answer was lost with the connection. Everything else that a
 * connection is lost from has not happened.
 */
export function tellLostOutcome(client: pg.PoolClient, run: Run): Run {
  let isInTransaction = false
  let lost: Error | undefined
  return (text, values) => {
    const step = stepOf(text)
    // Sent by whoever saw COMMIT fail, and what comes of it would be told instead.
    if (step === 'rollback' && lost !== undefined) return Promise.reject(lost)
    const makesLast = step === 'commit' || (step === undefined && !isInTransaction)
    if (step !== undefined) isInTransaction = step === 'begin'
    if (step === 'begin') lost = undefined
    if (!makesLast || !isConnected(client)) return run(text, values)
    return (run(text, values) as Promise<unknown>).catch((error: Error) => {
      if ((isConnected(client) && !isOfPooler(error)) || (step === undefined && !changesSomething(text))) throw error
      const message = 'the connection broke before it was known what came of this'
      lost = Object.assign(new Error(message, { cause: error }), { code: OUTCOME_LOST })
      throw lost
    })
  }
}

const steps = /^(begin|start transaction|commit|rollback)\b(?! to )/i

/** Of a transaction, where a statement is one. */
function stepOf(text: unknown): 'begin' | 'commit' | 'rollback' | undefined {
  const step = typeof text === 'string' && text.length < 100 ? steps.exec(text)?.[1]?.toLowerCase() : undefined
  return step === 'start transaction' ? 'begin' : (step as 'begin' | 'commit' | 'rollback' | undefined)
}

const changesSomething = (text: unknown): boolean =>
  typeof text === 'string' && /\b(insert into|update|delete from|merge into)\b/i.test(text)

/** A pooler whose own connection broke says so (class 08), which a database never does of a statement that it has taken. */
const isOfPooler = (error: Error): boolean => error instanceof pg.DatabaseError && error.code?.startsWith('08') === true

const isConnected = (client: pg.PoolClient): boolean => (client as unknown as { _queryable: boolean })._queryable
