/**
 * Paths of the contract that no release serves yet. The test compares the list exactly, so remove a path when it is
 * served.
 */
export const notYetServed: readonly string[] = []
