/** Resolves to true when the change is complete. Mutations without another result return this promise. */
export const done = (change: Promise<unknown>): Promise<true> => change.then(() => true)
