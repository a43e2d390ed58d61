/**
 * The paths of the contract that the server does not serve yet. The test requires an exact match, so remove a path when
 * the server serves it.
 */
export const notYetServed: readonly string[] = []
