let last = 0

/** Tells rows of a form apart while they are moved and removed. */
export const newRowId = (): string => `row-${++last}`
