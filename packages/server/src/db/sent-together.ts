/**
 * Waits for statements that a transaction sent without waiting for each one, so that the server prepares a statement
 * while PostgreSQL runs another. They run in the order in which they were sent. After a failure, the others still finish:
 * a statement that waits until after the rollback would run outside of the transaction.
 */
export async function sentTogether<Results extends readonly unknown[]>(
  statements: readonly [...{ [Index in keyof Results]: Promise<Results[Index]> }],
): Promise<Results> {
  await Promise.allSettled(statements)
  return (await Promise.all(statements)) as unknown as Results
}
