/** Returns true when the change is complete. For mutations that have no other result. */
export const done = (change: Promise<unknown>): Promise<true> => change.then(() => true)
