import type { PreparedOperation, RootField } from '../graphql/execute.ts'

/** Number of response objects that cost one point. */
export const OBJECTS_PER_POINT = 100
/** Number of rows that are read but not returned and cost one point. */
export const ROWS_PER_POINT = 2_000
/** Number of `setAttributesMany` items that cost one point. */
const ITEMS_PER_POINT = 10

/** The cost of every request. */
export const REQUEST_POINTS = 1

/** Number of bytes in a rejected request that cost one point. */
export const REJECTED_BYTES_PER_POINT = 1_000

/** Returns the additional cost of a request that is rejected because of its content: 1 for each full 1,000 bytes. */
export const pointsOfRejected = (bytes: number): number => Math.floor(bytes / REJECTED_BYTES_PER_POINT)

/** Returns the cost of the objects in a response: 1 for each full hundred. */
export const pointsOfObjects = (objects: number): number => Math.floor(objects / OBJECTS_PER_POINT)

/** Returns the cost of rows that are read but not returned: 1 for each full 2,000. */
export const pointsOfRows = (rows: number): number => Math.floor(rows / ROWS_PER_POINT)

/** Returns the cost of an operation's changes: 1 for each mutation, or for each 10 items (or fewer) in `setAttributesMany`. */
export function pointsOfChanges({ kind, rootFields }: Pick<PreparedOperation, 'kind' | 'rootFields'>): number {
  if (kind !== 'mutation') return 0
  return rootFields().reduce((points, field) => points + pointsOfField(field), 0)
}

function pointsOfField({ name, args }: RootField): number {
  const items = name === 'setAttributesMany' && Array.isArray(args.items) ? args.items.length : 0
  return Math.max(1, Math.ceil(items / ITEMS_PER_POINT))
}
