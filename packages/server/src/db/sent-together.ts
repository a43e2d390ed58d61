/**
 * Returns the results of statements that a transaction sent without waiting for each one. The statements run in the
 * order in which they were sent. After a failure, this function waits for the other statements before it throws.
 * Otherwise, a statement could run after the rollback, outside the transaction. Throws the failure that ended the
 * transaction.
 */
export async function sentTogether<Results extends readonly unknown[]>(
  statements: readonly [...{ [Index in keyof Results]: Promise<Results[Index]> }],
): Promise<Results> {
  const failures: unknown[] = []
  await Promise.all(statements.map((statement) => statement.catch((error: unknown) => failures.push(error))))
  if (failures.length > 0) throw failures.find((error) => !isOfEndedTransaction(error)) ?? failures[0]
  return (await Promise.all(statements)) as unknown as Results
}

/** SQLSTATE 25P02: an earlier statement of the transaction failed. */
const isOfEndedTransaction = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === '25P02'
