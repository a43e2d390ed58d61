/**
 * The paths of the contract that the server does not serve yet. Remove a path when the server serves it, because
 * contract.test.ts requires an exact match.
 */
export const notYetServed: readonly string[] = []
