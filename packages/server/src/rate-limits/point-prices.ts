import type { PreparedOperation, RootField } from '../graphql/prepare-operation.ts'

/** The number of objects in a response that cost one point. */
export const OBJECTS_PER_POINT = 100
/** The number of rows that cost one point if they are read but not returned. */
export const ROWS_PER_POINT = 2_000
const ITEMS_PER_POINT = 10

/** The mutations whose cost depends on the number of items in a list argument, with the name of that argument. */
const listsOfChanges: Readonly<Record<string, string>> = {
  deleteDevices: 'deviceId',
  setAttributesMany: 'items',
  transferDevices: 'deviceId',
}

export function countChanges({ name, args }: Pick<RootField, 'name' | 'args'>): number {
  const list = listsOfChanges[name]
  const items = list === undefined ? undefined : args[list]
  return Array.isArray(items) ? items.length : 1
}

export const REQUEST_POINTS = 1

/** The number of bytes per point that a rejected request costs. */
export const REJECTED_BYTES_PER_POINT = 1_000

export const pointsOfRejected = (bytes: number): number => Math.floor(bytes / REJECTED_BYTES_PER_POINT)

export const pointsOfObjects = (objects: number): number => Math.floor(objects / OBJECTS_PER_POINT)

export const pointsOfRows = (rows: number): number => Math.floor(rows / ROWS_PER_POINT)

export function pointsOfChanges({ kind, rootFields }: Pick<PreparedOperation, 'kind' | 'rootFields'>): number {
  if (kind !== 'mutation') return 0
  return rootFields().reduce(
    (points, field) => points + Math.max(1, Math.ceil(countChanges(field) / ITEMS_PER_POINT)),
    0,
  )
}
