import type { PreparedOperation, RootField } from '../graphql/execute.ts'

/** Objects of an answer that come with each point. */
export const OBJECTS_PER_POINT = 100
/** Rows that an operation may read and not return that come with each point. */
export const ROWS_PER_POINT = 2_000
/** Items of `setAttributesMany` that one point pays for. */
const ITEMS = 10

/** What a request costs whatever comes of it. */
export const REQUEST_POINTS = 1

/** Bytes of a request that is not executed that come with each point. */
export const REFUSED_BYTES_PER_POINT = 1_000

/** What a request costs besides that is refused for what it asks for: 1 for each full 1000 bytes that had to be read. */
export const pointsOfRefused = (bytes: number): number => Math.floor(bytes / REFUSED_BYTES_PER_POINT)

/** What the objects of an answer cost: 1 for each full hundred. */
export const pointsOfObjects = (objects: number): number => Math.floor(objects / OBJECTS_PER_POINT)

/** What rows that are read and not returned cost: 1 for each full 2,000. */
export const pointsOfRows = (rows: number): number => Math.floor(rows / ROWS_PER_POINT)

/** What the changes of an operation cost: 1 for each mutation, in `setAttributesMany` for each 10 items, begun ones included. */
export function pointsOfChanges({ kind, rootFields }: Pick<PreparedOperation, 'kind' | 'rootFields'>): number {
  if (kind !== 'mutation') return 0
  return rootFields().reduce((points, field) => points + pointsOfField(field), 0)
}

function pointsOfField({ name, args }: RootField): number {
  const items = name === 'setAttributesMany' && Array.isArray(args.items) ? args.items.length : 0
  return Math.max(1, Math.ceil(items / ITEMS))
}
