import type { PreparedOperation, RootField } from '../graphql/execute.ts'

/** The number of objects in a response that cost one point. */
export const OBJECTS_PER_POINT = 100
/** The number of rows that cost one point if they are read but not returned. */
export const ROWS_PER_POINT = 2_000
/** The number of `setAttributesMany` items that cost one point. */
const ITEMS_PER_POINT = 10

/** The cost of every request. */
export const REQUEST_POINTS = 1

/** The number of bytes in a rejected request that cost one point. */
export const REJECTED_BYTES_PER_POINT = 1_000

/**
 * Returns the additional cost of a request that is rejected because of its content: 1 point for each full 1,000 bytes.
 */
export const pointsOfRejected = (bytes: number): number => Math.floor(bytes / REJECTED_BYTES_PER_POINT)

/** Returns the cost of the objects in a response: 1 point for each full hundred. */
export const pointsOfObjects = (objects: number): number => Math.floor(objects / OBJECTS_PER_POINT)

/** Returns the cost of rows that are read but not returned: 1 point for each full 2,000. */
export const pointsOfRows = (rows: number): number => Math.floor(rows / ROWS_PER_POINT)

/**
 * Returns the cost of an operation's changes. Each mutation costs 1 point. `setAttributesMany` costs 1 point for each
 * 10 items, rounded up.
 */
export function pointsOfChanges({ kind, rootFields }: Pick<PreparedOperation, 'kind' | 'rootFields'>): number {
  if (kind !== 'mutation') return 0
  return rootFields().reduce((points, field) => points + pointsOfField(field), 0)
}

function pointsOfField({ name, args }: RootField): number {
  const items = name === 'setAttributesMany' && Array.isArray(args.items) ? args.items.length : 0
  return Math.max(1, Math.ceil(items / ITEMS_PER_POINT))
}
